// Folding and unfolding the frames of a drawing: what stands where is worked out in page_place.js,
// and put into the elements of the drawing here.

const numbersOf = (text) => text.split(/[ ,MLZ]+/).filter(Boolean).map(Number);
const pairsOf = (numbers) => numbers.filter((_, i) => i % 2 === 0).map((x, i) => [x, numbers[2 * i + 1]]);

function readDrawing(svg) {
  const get = (box, name) => Number(box.getAttribute(name));
  const rectOf = (box) => ["x", "y", "width", "height"].map((name) => get(box, name));
  const items = [...svg.querySelectorAll("g.item")].map((group) => {
    const box = group.querySelector("rect");
    return {
      group,
      box,
      rect: rectOf(box),
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
    item.offsets = item.texts.map((text) => [get(text, "x") - item.rect[0], get(text, "y") - item.rect[1]]);
  });
  const stubs = [...svg.querySelectorAll("g.stub-of")].map((group) => ({
    group, rect: rectOf(group.querySelector("rect")), home: Number(group.dataset.home),
  }));
  const lines = [...svg.querySelectorAll(".wire")].map((path) => ({
    path, home: Number(path.dataset.home), corners: pairsOf(numbersOf(path.getAttribute("d"))),
  }));
  const onLines = [...svg.querySelectorAll("[data-line]")].map((target) => ({
    target, line: Number(target.dataset.line), piece: Number(target.dataset.piece ?? -1),
  }));
  const box = svg.viewBox.baseVal;
  const isDown = svg.dataset.direction !== "right";
  return { svg, items, stubs, lines, onLines, folded: new Set(), isDown,
    size: [box.width - 2, box.height - 2] };
}

// Straight along the flow, curved where a line moves across, as in the window.
function curveThrough(corners, isDown) {
  let [x0, y0] = corners[0];
  let path = `M${x0.toFixed(1)} ${y0.toFixed(1)}`;
  for (const [x, y] of corners.slice(1)) {
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

// Everything where it was drawn.
function asDrawn({ items, stubs, lines, size }) {
  return { rects: items.map((item) => item.rect), stubs: stubs.map((stub) => stub.rect),
    lines: lines.map((line) => line.corners), size };
}

function applyFolding(drawing) {
  const { items, stubs, lines, folded, svg } = drawing;
  const places = folded.size ? placeAll(drawing, folded) : asDrawn(drawing);
  const show = (target, isShown) => target.classList.toggle("is-away", !isShown);
  items.forEach((item, index) => placeItem(item, places.rects[index], folded.has(index), show));
  stubs.forEach(({ group, rect }, index) => {
    const now = places.stubs[index];
    show(group, now !== null);
    if (now) group.setAttribute("transform", `translate(${now[0] - rect[0]} ${now[1] - rect[1]})`);
  });
  lines.forEach(({ path }, index) => {
    const corners = places.lines[index];
    show(path, corners !== null);
    if (corners) path.setAttribute("d", curveThrough(corners, drawing.isDown));
  });
  placeOnLines(drawing, places, show);
  const [width, height] = places.size;
  svg.setAttribute("viewBox", `-1 -1 ${(width + 2).toFixed(1)} ${(height + 2).toFixed(1)}`);
}

function placeItem(item, rect, isFolded, show) {
  show(item.group, rect !== null);
  item.texts.forEach((text) => show(text, rect !== null));
  if (rect === null) return;
  ["x", "y", "width", "height"].forEach((name, i) => item.box.setAttribute(name, rect[i].toFixed(1)));
  item.texts.forEach((text, i) => {
    const [across, down] = item.offsets[i];
    text.setAttribute("x", (rect[0] + across).toFixed(1));
    text.setAttribute("y", (rect[1] + down).toFixed(1));
    if (item.isFrame && text.classList.contains("sign")) {
      text.textContent = isFolded ? "▸" : "▾";
      text.setAttribute("aria-expanded", String(!isFolded));
    }
  });
}

// Arrow heads stand at the end of their line, types on the piece that they were written on, unless
// something else came to stand there.
function placeOnLines({ lines, onLines, items, folded }, places, show) {
  const boxes = items.map((item, i) => (item.isFrame && !folded.has(i) ? null : places.rects[i]))
    .concat(places.stubs).filter((rect) => rect !== null);
  for (const { target, line, piece } of onLines) {
    const now = places.lines[line];
    const was = lines[line].corners;
    show(target, now !== null);
    if (now === null) continue;
    const at = (corners) => {
      if (piece < 0) return corners[corners.length - 1];
      const [a, b] = [corners[piece], corners[Math.min(piece + 1, corners.length - 1)]];
      return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    };
    const [to, from] = [at(now), at(was)];
    const [x, y] = [to[0] - from[0], to[1] - from[1]];
    target.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    if (piece < 0 || folded.size === 0) continue;
    const plate = target.querySelector("rect");
    const [left, top, width, height] = ["x", "y", "width", "height"]
      .map((name) => Number(plate.getAttribute(name)));
    const isFree = !boxes.some((box) => left + x < box[0] + box[2] && box[0] < left + x + width
      && top + y < box[1] + box[3] && box[1] < top + y + height);
    show(target, isFree);
    if (isFree) boxes.push([left + x, top + y, width, height]);
  }
}

function setFolded(drawing, index, isFolded) {
  if (isFolded) drawing.folded.add(index);
  else drawing.folded.delete(index);
  applyFolding(drawing);
}

function toggleFold(drawing, index) {
  setFolded(drawing, index, !drawing.folded.has(index));
}
