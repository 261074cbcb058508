// Placing a drawing anew when some of its frames are folded. The drawing comes laid out with every
// frame open: in each frame boxes stand in rows along the flow, and lines pass the rows between
// them. Rows, and the order in a row, stay; sizes and places are worked out again, from the
// innermost frame outwards, so that nothing overlaps and no gap is left where something was.
// Like page_rows.js it touches no element of the page, so that a test can run it without a browser.

const padOf = (old) => Math.max(0, Math.min(old, maxPad));

// Place what is in a frame. `parts` have `old` rects, a `size`, and `ports` if they are open frames;
// `frame` is the rect as it was. Gives the size, where the parts are, the corners of the lines, and
// where ports of the border went, all from the frame's corner.
function placeFrame(frame, parts, lines, least) {
  const rows = rowsOf(parts);
  const top = { from: frame[1], to: rows.length ? rows[0].from - near * 2 : frame[1], slots: [] };
  const end = frame[1] + frame[3];
  const bottom = { from: rows.length ? rows[rows.length - 1].to + near * 2 : end, to: end, slots: [] };
  const drawn = lines.map((line) => {
    const corners = withPasses(line.corners, rows);
    return { line, anchors: anchorsOf(corners, rows, top, bottom, frame) };
  });
  const all = [top, ...rows, bottom];
  const extent = (key, width) => {
    const slots = [].concat(...all.map((row) => row.slots));
    if (!slots.length) return [frame[0], frame[0] + frame[2]];
    return [Math.min(...slots.map((slot) => slot[key] - slot[width] / 2)),
      Math.max(...slots.map((slot) => slot[key] + slot[width] / 2))];
  };
  settle(all, linksOf(drawn));
  const [oldLeft, oldRight] = extent("old", "oldWidth");
  let [left, right] = extent("at", "width");
  if (right - left > oldRight - oldLeft) {
    // Nothing is larger than it was, so all of it fits where it stood.
    all.forEach((row) => row.slots.forEach((slot) => { slot.at = slot.old; }));
    [left, right] = extent("at", "width");
  }
  const pads = [oldLeft - frame[0], frame[0] + frame[2] - oldRight].map(padOf);
  const width = Math.max(pads[0] + right - left + pads[1], least[0]);
  const shift = (width - pads[0] - pads[1] - (right - left)) / 2 + pads[0] - left;
  all.forEach((row) => row.slots.forEach((slot) => { slot.at += shift; }));
  const placed = placeRows(frame, rows, drawn, least, width);
  placed.ports = [top, bottom].map((row) => row.slots.map((slot) => [slot.old, slot.at]));
  return placed;
}

function placeRows(frame, rows, drawn, least, width) {
  const knots = [[frame[1], 0]];
  const places = new Map();
  let [at, end] = [0, frame[1]];
  rows.forEach((row, i) => {
    const gap = row.from - end;
    at += i ? Math.min(gap, maxRowGap) : Math.min(gap, headerHeight + maxPad);
    const height = Math.max(...row.slots.map((slot) => (slot.stacked ? slot.stacked.size[1] : 0)));
    knots.push([row.from, at], [row.to, at + height]);
    for (const { stacked, at: middle } of row.slots.filter((slot) => slot.stacked)) {
      const slack = row.to - row.from - stacked.old[3];
      const isFrame = stacked.parts.some((part) => part.ports);
      const share = isFrame ? 0 : slack > near ? (stacked.old[1] - row.from) / slack : 0.5;
      const drop = at + share * (height - stacked.size[1]);
      stacked.drop = drop;
      stacked.parts.forEach((part, k) => {
        const [across, along] = stacked.offsets[k];
        places.set(part, [middle - stacked.size[0] / 2 + across, drop + along]);
      });
    }
    at += height;
    end = row.to;
  });
  const height = Math.max(at + padOf(frame[1] + frame[3] - end), least[1]);
  knots.push([frame[1] + frame[3], height]);
  const alongOf = mapThrough(knots);
  const paths = drawn.map(({ line, anchors }) => ({
    line, corners: cornersOf(anchors, alongOf, width),
  }));
  const sides = [].concat(...drawn.map(({ anchors }, i) => anchors
    .map((anchor, k) => [anchor.corner[1], paths[i].corners[k][1]])
    .filter((_, k) => anchors[k].side !== undefined)));
  return { size: [width, height], places, paths, sides, alongOf };
}

// The corners of a line as they are now. One that hangs on nothing goes with its neighbour.
function cornersOf(anchors, alongOf, width) {
  const across = anchors.map((anchor) => {
    if (anchor.side !== undefined) return anchor.side * width;
    return anchor.row === null ? null : anchor.slot.at + anchor.shift;
  });
  const alongs = levelsOf(anchors, alongOf);
  return anchors.map((anchor, i) => {
    if (across[i] !== null) return [across[i], alongs[i]];
    const isBeside = (j) => across[j] !== null && across[j] !== undefined
      && Math.abs(anchors[j].corner[0] - anchor.corner[0]) < near;
    const neighbour = [i - 1, i + 1].find(isBeside) ?? across.findIndex((value) => value !== null);
    const moved = neighbour < 0 ? 0 : across[neighbour] - anchors[neighbour].corner[0];
    return [anchor.corner[0] + moved, alongs[i]];
  });
}

// How far along the corners of a line are. One that is level with a part's port stays so.
function levelsOf(anchors, alongOf) {
  const isLevel = (i, j) => Math.abs(anchors[i].corner[1] - anchors[j].corner[1]) < near;
  const alongs = anchors.map((anchor) => (anchor.part
    ? anchor.slot.stacked.drop + anchor.drop : null));
  for (let i = 1; i < anchors.length; i += 1) {
    if (alongs[i] === null && isLevel(i, i - 1)) alongs[i] = alongs[i - 1];
  }
  for (let i = anchors.length - 2; i >= 0; i -= 1) {
    if (alongs[i] === null && isLevel(i, i + 1)) alongs[i] = alongs[i + 1];
  }
  return alongs.map((along, i) => along ?? alongOf(anchors[i].corner[1]));
}

// A frame with nothing folded in it, at any depth: it stays as it was laid out.
function keepFrame(frame, parts, lines) {
  const relative = ([across, along]) => [across - frame[0], along - frame[1]];
  return {
    size: [frame[2], frame[3]],
    places: new Map(parts.map((part) => [part, relative(part.old)])),
    paths: lines.map((line) => ({ line, corners: line.corners.map(relative) })),
    alongOf: (along) => along - frame[1],
    ports: null,
  };
}

// ---- the drawing --------------------------------------------------------------------------------

// Where a port of an open frame is now, from the frame's corner.
function openPorts(frame, inside) {
  if (inside.ports === null) return (across, along) => [across - frame[0], along - frame[1]];
  return (across, along) => {
    const isTop = Math.abs(along - frame[1]) <= Math.abs(along - frame[1] - frame[3]);
    const ports = inside.ports[isTop ? 0 : 1];
    const isSide = along > frame[1] + near && along < frame[1] + frame[3] - near;
    if (isSide) {
      const level = inside.sides.find(([old]) => Math.abs(old - along) < near);
      const at = level ? level[1] : inside.alongOf(along);
      return [across <= frame[0] + near ? 0 : inside.size[0], at];
    }
    const port = ports.find(([old]) => Math.abs(old - across) < near);
    const now = port ? port[1] : ((across - frame[0]) / frame[2]) * inside.size[0];
    return [now, isTop ? 0 : inside.size[1]];
  };
}

const turned = (rect) => [rect[1], rect[0], rect[3], rect[2]];

// Places for a set of folded frames. `items` have rect, parent, isFrame and titleWidth, `stubs` a
// rect and `lines` corners, both with the frame `home` that they are drawn in, -1 for none. Gives rects of items and stubs and corners of lines, null where hidden.
function placeAll({ items, stubs, lines, size, isDown }, folded) {
  const rectOf = (rect) => (isDown ? rect : turned(rect));
  const pointOf = (point) => (isDown ? point : [point[1], point[0]]);
  const inside = new Map();
  const touched = new Set(); // frames with something folded in them
  folded.forEach((index) => {
    for (let home = items[index].parent; home >= 0; home = items[home].parent) touched.add(home);
    touched.add(-1);
  });
  const children = new Map();
  const add = (home, key, thing) => {
    if (!children.has(home)) children.set(home, { items: [], stubs: [], lines: [] });
    children.get(home)[key].push(thing);
  };
  items.forEach((item, index) => add(item.parent, "items", index));
  stubs.forEach((stub, index) => add(stub.home, "stubs", index));
  lines.forEach((line, index) => add(line.home, "lines", index));
  function measure(index) {
    const { rect, isFrame, titleWidth } = items[index];
    const old = rectOf(rect);
    if (!isFrame) return { index, old, size: [old[2], old[3]] };
    if (folded.has(index)) {
      const small = [Math.min(rect[2], titleWidth), headerHeight];
      return { index, old, size: isDown ? small : [small[1], small[0]] };
    }
    const least = isDown ? [titleWidth, 0] : [headerHeight, titleWidth];
    inside.set(index, placeInside(old, index, least));
    return { index, old, size: inside.get(index).size, ports: openPorts(old, inside.get(index)) };
  }
  function placeInside(frame, home, least) {
    const { items: own, stubs: beside, lines: drawn } = children.get(home)
      ?? { items: [], stubs: [], lines: [] };
    const parts = own.map(measure);
    for (const index of beside) {
      const old = rectOf(stubs[index].rect);
      parts.push({ stub: index, old, size: [old[2], old[3]] });
    }
    const paths = drawn.map((index) => ({ index, corners: lines[index].corners.map(pointOf) }));
    if (!touched.has(home)) return keepFrame(frame, parts, paths);
    return placeFrame(frame, parts, paths, least);
  }
  const result = { rects: items.map(() => null), stubs: stubs.map(() => null),
    lines: lines.map(() => null) };
  function put(placed, origin) {
    const at = ([across, along]) => [origin[0] + across, origin[1] + along];
    for (const { line, corners } of placed.paths) {
      result.lines[line.index] = corners.map((corner) => pointOf(at(corner)));
    }
    placed.places.forEach((place, part) => {
      const rect = rectOf([...at(place), ...part.size]);
      if (part.stub !== undefined) result.stubs[part.stub] = rect;
      else {
        result.rects[part.index] = rect;
        if (inside.has(part.index)) put(inside.get(part.index), at(place));
      }
    });
  }
  const whole = rectOf([0, 0, ...size]);
  const placed = placeInside(whole, -1, [0, 0]);
  put(placed, [0, 0]);
  result.size = pointOf(placed.size);
  return result;
}
