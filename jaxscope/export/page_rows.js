// The rows of a frame: what stands in them, which lines pass them where, and places across the flow
// at which nothing collides and lines are short. See page_place.js, which puts rows together.
// Coordinates are [across, along] the flow. No element of the page is touched here, so that a test
// can run it without a browser.

const headerHeight = 34; // what stays of a folded frame
const near = 1; // places this close are the same
const lineGap = 8; // between lines, and between a line and a box
const maxRowGap = 90;
const maxPad = 40; // between the border of a frame and what is in it
const numSweeps = 12;

// Group things that touch along one axis; each has a `from` and a `to`. In order of `from`.
function clustersOf(things, from, to) {
  const result = [];
  let end = -Infinity;
  for (const thing of [...things].sort((a, b) => from(a) - from(b))) {
    if (from(thing) < end - near) result[result.length - 1].push(thing);
    else result.push([thing]);
    end = Math.max(end, to(thing));
  }
  return result;
}

// Places nearest to the wanted ones that keep an order and distances: `distances[i]` is what lies
// between thing i and the next. Things that would collide are averaged (pool adjacent violators).
function spread(wanted, distances, weights) {
  const pools = [];
  let offset = 0;
  wanted.forEach((place, i) => {
    pools.push({ sum: (place - offset) * weights[i], weight: weights[i], count: 1 });
    offset += distances[i] ?? 0;
    while (pools.length > 1) {
      const last = pools[pools.length - 1];
      const before = pools[pools.length - 2];
      if (before.sum / before.weight <= last.sum / last.weight) break;
      pools.pop();
      before.sum += last.sum;
      before.weight += last.weight;
      before.count += last.count;
    }
  });
  const places = [];
  offset = 0;
  for (const pool of pools) {
    for (let i = 0; i < pool.count; i += 1) {
      places.push(pool.sum / pool.weight + offset);
      offset += distances[places.length - 1] ?? 0;
    }
  }
  return places;
}

// A map that goes straight from one pair of a list to the next, and on beyond the ends.
function mapThrough(pairs) {
  return (value) => {
    let i = pairs.findIndex(([old]) => value <= old);
    if (i < 0) i = pairs.length - 1;
    const [old, now] = pairs[i];
    if (i === 0 || value >= old) return now + value - old;
    const [oldBefore, nowBefore] = pairs[i - 1];
    return now - ((old - value) * (now - nowBefore)) / Math.max(old - oldBefore, 1e-9);
  };
}

// Parts that stand over one another in one place of a row, with offsets in what they take together.
function stack(parts) {
  if (parts.length === 1) {
    const [part] = parts;
    return { parts, old: part.old, size: part.size, offsets: [[0, 0]] };
  }
  const low = [0, 1].map((axis) => Math.min(...parts.map((part) => part.old[axis])));
  const high = [0, 1].map((axis) => Math.max(...parts.map((p) => p.old[axis] + p.old[axis + 2])));
  const old = [low[0], low[1], high[0] - low[0], high[1] - low[1]];
  const rows = clustersOf(parts, (part) => part.old[1], (part) => part.old[1] + part.old[3]);
  if (rows.some((row) => row.length > 1)) { // no simple pile: everything stays where it was
    return { parts, old, size: [old[2], old[3]],
      offsets: parts.map((part) => [part.old[0] - old[0], part.old[1] - old[1]]) };
  }
  const width = Math.max(...parts.map((part) => part.size[0]));
  let at = 0;
  let end = old[1];
  const sorted = rows.map((row) => row[0]);
  const offsets = sorted.map((part) => {
    at += part.old[1] - end;
    end = part.old[1] + part.old[3];
    const place = [(width - part.size[0]) / 2, at];
    at += part.size[1];
    return place;
  });
  return { parts: sorted, old, size: [width, at], offsets };
}

const middleOf = (stacked) => stacked.old[0] + stacked.old[2] / 2;

// The rows of a frame, each with its stacks; extents as they were.
function rowsOf(parts) {
  return clustersOf(parts, (part) => part.old[1], (part) => part.old[1] + part.old[3]).map((row) => ({
    from: Math.min(...row.map((part) => part.old[1])),
    to: Math.max(...row.map((part) => part.old[1] + part.old[3])),
    slots: clustersOf(row, (part) => part.old[0], (part) => part.old[0] + part.old[2]).map((group) => {
      const stacked = stack(group);
      return { stacked, old: middleOf(stacked), width: stacked.size[0], oldWidth: stacked.old[2] };
    }),
  }));
}

// The corners of a line, with corners added where it passes straight through a row.
function withPasses(corners, rows) {
  const result = [corners[0]];
  for (let i = 1; i < corners.length; i += 1) {
    const [[across, along], [nextAcross, nextAlong]] = [corners[i - 1], corners[i]];
    if (Math.abs(across - nextAcross) < near) {
      const passed = [];
      for (const row of rows) {
        for (const edge of [row.from, row.to]) {
          if ((edge - along) * (edge - nextAlong) < 0 && Math.min(Math.abs(edge - along),
            Math.abs(edge - nextAlong)) > near) passed.push([across, edge]);
        }
      }
      passed.sort((a, b) => (nextAlong > along ? a[1] - b[1] : b[1] - a[1]));
      result.push(...passed);
    }
    result.push(corners[i]);
  }
  return result;
}

// The place in a row where a line passes; lines that passed together still do.
function passOf(row, across) {
  let slot = row.slots.find((other) => !other.stacked && Math.abs(other.old - across) < near / 2);
  if (!slot) {
    slot = { old: across, width: 0, oldWidth: 0 };
    row.slots.push(slot);
  }
  return slot;
}

// The part whose border a line ends at: its slot, the part, and how far from the slot's middle.
function portAt(rows, [across, along]) {
  let best = null;
  rows.forEach((row, rowIndex) => {
    if (along < row.from - near || along > row.to + near) return;
    for (const slot of row.slots) {
      (slot.stacked ? slot.stacked.parts : []).forEach((part, index) => {
        const [left, top, width, height] = part.old;
        const x = Math.max(left - across, across - left - width);
        const y = Math.max(top - along, along - top - height);
        const distance = Math.max(x, y, Math.min(-x, -y));
        if (distance < 2 * near && (best === null || distance < best.distance)) {
          best = { row: rowIndex, slot, part, index, distance };
        }
      });
    }
  });
  return best;
}

// Where on a part a port is now, from the part's corner.
function portOf(part, [across, along]) {
  const [left, top, width, height] = part.old;
  if (part.ports) return part.ports(across, along);
  const share = (value, from, size) => (size > 0 ? (value - from) / size : 0.5);
  return [share(across, left, width) * part.size[0], share(along, top, height) * part.size[1]];
}

// What each corner of a line hangs on: a part, a side of the frame, a pass through a row, or nothing.
function anchorsOf(corners, rows, top, bottom, frame) {
  return corners.map((corner, i) => {
    const [across, along] = corner;
    const isEnd = i === 0 || i === corners.length - 1;
    const port = isEnd ? portAt(rows, corner) : null;
    if (port) {
      const inPart = portOf(port.part, corner);
      const offset = port.slot.stacked.offsets[port.index];
      return { row: port.row, slot: port.slot, part: port.part, corner,
        shift: offset[0] + inPart[0] - port.slot.width / 2, drop: offset[1] + inPart[1] };
    }
    const side = [frame[0], frame[0] + frame[2]].findIndex((at) => Math.abs(at - across) < near);
    if (isEnd && side >= 0) return { row: null, side, corner };
    if (isEnd && along <= top.to + near) return { row: -1, slot: passOf(top, across), corner, shift: 0 };
    if (isEnd && along >= bottom.from - near) {
      return { row: rows.length, slot: passOf(bottom, across), corner, shift: 0 };
    }
    const row = rows.findIndex((each) => along >= each.from - near && along <= each.to + near);
    if (row < 0) return { row: null, corner };
    return { row, slot: passOf(rows[row], across), corner, shift: 0 };
  });
}

// Which slots of neighbouring rows a line joins, and by how much their middles should differ.
function linksOf(lines) {
  const links = [];
  for (const { anchors } of lines) {
    let before = null;
    for (const anchor of anchors) {
      if (anchor.row === null) continue;
      if (before && before.slot !== anchor.slot && before.row !== anchor.row) {
        const isStraight = !before.part && !anchor.part;
        links.push({ a: before, b: anchor, by: before.shift - anchor.shift,
          weight: isStraight ? 4 : 1 });
      }
      before = anchor;
    }
  }
  return links;
}

function settleRow(row, wantedOf) {
  const wanted = [];
  const weights = [];
  for (const slot of row.slots) {
    const [sum, weight] = wantedOf(slot);
    wanted.push(weight > 0 ? sum / weight : slot.at);
    weights.push(weight > 0 ? weight : 0.1);
  }
  spread(wanted, row.distances, weights).forEach((at, i) => { row.slots[i].at = at; });
}

function settle(rows, links) {
  for (const row of rows) {
    row.slots.sort((a, b) => a.old - b.old);
    row.distances = row.slots.slice(1).map((slot, i) => {
      const before = row.slots[i];
      const gap = slot.old - before.old - (slot.oldWidth + before.oldWidth) / 2;
      const isLine = !slot.stacked || !before.stacked;
      const least = Math.max(0, Math.min(gap, isLine ? lineGap : 60));
      return least + (slot.width + before.width) / 2;
    });
    let at = 0;
    row.slots.forEach((slot, i) => { slot.at = at; at += row.distances[i] ?? 0; });
    row.slots.forEach((slot) => { slot.at -= at / 2; slot.row = row; slot.up = []; slot.down = []; });
  }
  for (const { a, b, by, weight } of links) {
    const isDown = a.row < b.row;
    a.slot[isDown ? "down" : "up"].push({ other: b.slot, by: -by, weight });
    b.slot[isDown ? "up" : "down"].push({ other: a.slot, by, weight });
  }
  const wantedBy = (sides) => (slot) => {
    let [sum, weight] = [0, 0];
    for (const side of sides) {
      for (const link of slot[side]) {
        sum += link.weight * (link.other.at + link.by);
        weight += link.weight;
      }
    }
    return [sum, weight];
  };
  for (let sweep = 0; sweep < numSweeps; sweep += 1) {
    const isLast = sweep >= numSweeps - 2;
    const order = sweep % 2 === 0 ? rows : [...rows].reverse();
    const sides = isLast ? ["up", "down"] : [sweep % 2 === 0 ? "up" : "down"];
    for (const row of order) settleRow(row, wantedBy(sides));
  }
}
