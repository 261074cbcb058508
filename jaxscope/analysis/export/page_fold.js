// Folding boxes of a drawing without laying it out again: what a folded frame hides gives its room
// back wherever nothing else stands beside it. Coordinates go through a map that never decreases,
// so nothing can come to lie over anything else.
// The first part touches no element of the page, so that a test can run it without a browser.

const headerHeight = 34; // what stays of a folded frame
const clearance = 12; // kept around everything that is seen

// The parts of `wanted` (intervals [from, to]) that no interval of `kept` touches.
function freeParts(wanted, kept) {
  const taken = kept.filter(([from, to]) => to > from).sort((a, b) => a[0] - b[0]);
  const free = [];
  for (const [begin, end] of merged(wanted)) {
    let at = begin;
    for (const [from, to] of taken) {
      if (to <= at) continue;
      if (from >= end) break;
      if (from > at) free.push([at, from]);
      at = Math.max(at, to);
    }
    if (at < end) free.push([at, end]);
  }
  return free;
}

function merged(intervals) {
  const result = [];
  for (const [from, to] of intervals.filter((i) => i[1] > i[0]).sort((a, b) => a[0] - b[0])) {
    const last = result[result.length - 1];
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

// Where a coordinate goes once the free parts are cut out.
function mapWithout(free) {
  return (value) => {
    let removed = 0;
    for (const [from, to] of free) {
      if (value <= from) break;
      removed += Math.min(value, to) - from;
    }
    return value - removed;
  };
}

// Which items are hidden: those with a folded frame around them, at any depth.
function hiddenItems(parents, folded) {
  const hidden = [];
  parents.forEach((parent, item) => {
    hidden[item] = parent >= 0 && (folded.has(parent) || hidden[parent]);
  });
  return hidden;
}

// The maps of x and of y for a set of folded frames. `items` have rect, parent, isFrame and
// titleWidth; `points` are the corners of lines, each with the frame `home` that it is drawn in.
function foldMaps(items, points, folded) {
  const hidden = hiddenItems(items.map((item) => item.parent), folded);
  const wanted = { x: [], y: [] };
  const kept = { x: [], y: [] };
  items.forEach((item, index) => {
    if (hidden[index]) return;
    const [x, y, width, height] = item.rect;
    if (item.isFrame && folded.has(index)) {
      const stays = Math.min(width, item.titleWidth);
      wanted.x.push([x + stays, x + width]);
      wanted.y.push([y + headerHeight, y + height]);
      kept.x.push([x - clearance, x + stays]);
      kept.y.push([y - clearance, y + headerHeight]);
    } else if (item.isFrame) {
      kept.x.push([x - clearance, x + clearance], [x + width - clearance, x + width + clearance]);
      kept.y.push([y - clearance, y + headerHeight],
        [y + height - clearance, y + height + clearance]);
    } else {
      kept.x.push([x - clearance, x + width + clearance]);
      kept.y.push([y - clearance, y + height + clearance]);
    }
  });
  for (const { x, home } of points) {
    if (home < 0 || (!hidden[home] && !folded.has(home))) kept.x.push([x - 5, x + 5]);
  }
  return {
    hidden,
    x: mapWithout(freeParts(wanted.x, kept.x)),
    y: mapWithout(freeParts(wanted.y, kept.y)),
  };
}

// ---- the drawing --------------------------------------------------------------------------------

const numbersOf = (text) => text.split(/[ ,MLZ]+/).filter(Boolean).map(Number);

function readDrawing(svg) {
  const frames = [...svg.querySelectorAll("g.item")];
  const items = frames.map((group) => {
    const box = group.querySelector("rect");
    const get = (name) => Number(box.getAttribute(name));
    return {
      group,
      box,
      rect: [get("x"), get("y"), get("width"), get("height")],
      parent: Number(group.dataset.parent),
      isFrame: group.dataset.title !== undefined,
      titleWidth: Number(group.dataset.title || 0),
      texts: [...group.querySelectorAll("text")],
    };
  });
  svg.querySelectorAll("text[data-item]").forEach((text) => {
    items[Number(text.dataset.item)].texts.push(text);
  });
  items.forEach((item) => {
    item.offsets = item.texts.map((text) => [
      Number(text.getAttribute("x")) - item.rect[0], Number(text.getAttribute("y")) - item.rect[1],
    ]);
  });
  const lines = [...svg.querySelectorAll(".wire")].map((path) => ({
    path, home: Number(path.dataset.home), numbers: numbersOf(path.getAttribute("d")),
  }));
  const loose = [...svg.querySelectorAll("[data-at]")].map((target) => ({
    target,
    home: Number(target.dataset.home),
    at: numbersOf(target.dataset.at),
    beside: Number(target.dataset.beside ?? -1),
  }));
  const points = lines.flatMap(({ home, numbers }) => (
    numbers.filter((_, i) => i % 2 === 0).map((x) => ({ x, home }))));
  const folded = new Set();
  const box = svg.viewBox.baseVal;
  const isDown = svg.dataset.direction !== "right";
  return { svg, items, lines, loose, points, folded, isDown, size: [box.width, box.height] };
}

// Straight along the flow, curved where a line moves across, as in the window.
function curveThrough(numbers, maps, isDown) {
  let [x0, y0] = [maps.x(numbers[0]), maps.y(numbers[1])];
  let path = `M${x0.toFixed(1)} ${y0.toFixed(1)}`;
  for (let i = 2; i < numbers.length; i += 2) {
    const [x, y] = [maps.x(numbers[i]), maps.y(numbers[i + 1])];
    const end = `${x.toFixed(1)} ${y.toFixed(1)}`;
    const middle = ((isDown ? y0 + y : x0 + x) / 2).toFixed(1);
    const isStraight = Math.abs(x - x0) < 0.05 || Math.abs(y - y0) < 0.05;
    const bend = isDown ? `${x0.toFixed(1)} ${middle} ${x.toFixed(1)} ${middle}`
      : `${middle} ${y0.toFixed(1)} ${middle} ${y.toFixed(1)}`;
    path += isStraight ? `L${end}` : `C${bend} ${end}`;
    [x0, y0] = [x, y];
  }
  return path;
}

function applyFolding(drawing) {
  const { items, lines, loose, points, folded } = drawing;
  const maps = foldMaps(items, points, folded);
  const show = (target, isShown) => target.classList.toggle("is-away", !isShown);
  const isHome = (home) => home < 0 || (!maps.hidden[home] && !folded.has(home));
  items.forEach((item, index) => {
    const [x, y, width, height] = item.rect;
    const isFolded = folded.has(index);
    const left = maps.x(x);
    const top = maps.y(y);
    item.box.setAttribute("x", left);
    item.box.setAttribute("y", top);
    item.box.setAttribute("width", Math.max(0, maps.x(x + width) - left));
    // What is hidden may have no height left, and by rounding even less.
    const tall = isFolded ? headerHeight : Math.max(0, maps.y(y + height) - top);
    item.box.setAttribute("height", tall);
    const wide = maps.x(x + width) - left;
    item.texts.forEach((text, i) => {
      const [across, down] = item.offsets[i];
      text.setAttribute("x", left + (item.isFrame ? across : wide / 2));
      text.setAttribute("y", top + down);
      show(text, !maps.hidden[index]);
      if (item.isFrame && text.classList.contains("sign")) {
        text.textContent = isFolded ? "▸" : "▾";
        text.setAttribute("aria-expanded", String(!isFolded));
      }
    });
    show(item.group, !maps.hidden[index]);
  });
  for (const { path, home, numbers } of lines) {
    show(path, isHome(home));
    path.setAttribute("d", curveThrough(numbers, maps, drawing.isDown));
  }
  for (const { target, home, at, beside } of loose) {
    show(target, isHome(home) && !folded.has(beside)); // a folded frame has no room for labels
    const [x, y] = [maps.x(at[0]) - at[0], maps.y(at[1]) - at[1]];
    target.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  }
  shrinkFolded(drawing, maps);
  const [width, height] = [maps.x(drawing.size[0] - 1) + 1, maps.y(drawing.size[1] - 1) + 1];
  drawing.svg.setAttribute("viewBox", `-1 -1 ${width.toFixed(1)} ${height.toFixed(1)}`);
}

// Lines that left through the lower border of a folded frame now begin at what is left of it.
function shrinkFolded({ items, lines, folded }, maps) {
  folded.forEach((index) => {
    if (maps.hidden[index]) return;
    const [x, y, width, height] = items[index].rect;
    const bottom = y + height;
    for (const { path, home, numbers } of lines) {
      const isMine = home === items[index].parent && Math.abs(numbers[1] - bottom) < 0.6
        && numbers[0] >= x && numbers[0] <= x + width;
      if (!isMine) continue;
      const from = maps.y(y) + headerHeight;
      const rest = path.getAttribute("d").slice(1);
      if (maps.y(bottom) > from) {
        path.setAttribute("d", `M${maps.x(numbers[0]).toFixed(1)} ${from.toFixed(1)}L${rest}`);
      }
    }
  });
}

function setFolded(drawing, index, isFolded) {
  if (isFolded) drawing.folded.add(index);
  else drawing.folded.delete(index);
  applyFolding(drawing);
}

function toggleFold(drawing, index) {
  setFolded(drawing, index, !drawing.folded.has(index));
}
