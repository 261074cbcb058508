// Folding by pointer and keys, and walking from box to box by arrow keys.

// The frame that an element of a drawing opens or closes, with its pane; null if it has none.
function frameOf(target) {
  const pane = state.panes.find((candidate) => candidate.body.contains(target));
  if (!pane || !pane.drawing) return null;
  const sign = target.closest("text[data-item]");
  if (sign) return { pane, index: Number(sign.dataset.item) };
  const group = target.closest("g.item");
  const index = pane.drawing.items.findIndex((item) => item.group === group);
  return index >= 0 && pane.drawing.items[index].isFrame ? { pane, index } : null;
}

function fold(frame, isFolded) {
  const { pane, index } = frame;
  const before = pane.drawing.items[index].box.getBoundingClientRect();
  if (isFolded === undefined) toggleFold(pane.drawing, index);
  else setFolded(pane.drawing, index, isFolded);
  resize(pane);
  const after = pane.drawing.items[index].box.getBoundingClientRect();
  pane.body.scrollLeft += after.left - before.left; // the eye stays on what was folded
  pane.body.scrollTop += after.top - before.top;
}

function foldAll(pane, isFolded) {
  if (!isFolded) unfold(pane, []);
  else {
    pane.drawing.items.forEach((item, index) => { if (item.isFrame) pane.drawing.folded.add(index); });
    applyFolding(pane.drawing);
  }
  zoom(pane, 0);
}

// Show the drawing in which everything is open, with the frames folded that are in `ids`.
function unfold(pane, ids) {
  if (pane.detail !== "unfolded" && document.getElementById(`unfolded-${pane.stage}`)) {
    pane.detail = "unfolded";
    showPane(pane);
  }
  const folded = new Set(ids);
  pane.drawing.folded.clear();
  pane.drawing.items.forEach((item, index) => {
    if (item.isFrame && folded.has(item.group.dataset.id)) pane.drawing.folded.add(index);
  });
  applyFolding(pane.drawing);
  resize(pane);
}

// Open a box that is closed in the first drawing: everything else keeps its state.
function unfoldOne(pane, id) {
  const open = new Set([id]);
  pane.drawing.items.forEach((item, index) => {
    if (item.isFrame && !pane.drawing.folded.has(index)) open.add(item.group.dataset.id);
  });
  const content = document.getElementById(`unfolded-${pane.stage}`).content;
  const ids = [...content.querySelectorAll("g.item[data-id]")].map((group) => group.dataset.id);
  unfold(pane, ids.filter((other) => !open.has(other)));
  lookAt(pane, id);
}

function lookAt(pane, id) {
  const opened = pane.drawing.items.findIndex((item) => item.group.dataset.id === id);
  pane.drawing.items[opened].box.scrollIntoView({ block: "nearest", inline: "center" });
  pane.drawing.items[opened].texts[0].focus({ preventScroll: true });
}

// A sign was pressed: of a frame, or of a box whose inside is in the other drawing.
function press(sign) {
  const pane = state.panes.find((candidate) => candidate.body.contains(sign));
  if (sign.dataset.inside !== undefined) unfoldOne(pane, sign.dataset.inside);
  else fold(frameOf(sign));
}

// ---- keys --------------------------------------------------------------------------------------

const steps = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
};

// The box that is nearest in a direction: what lies straight ahead counts as nearer.
function nextBox(body, from, [right, down]) {
  const middleOf = (target) => {
    const box = target.querySelector("rect").getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const [x, y] = middleOf(from);
  let best = null;
  let least = Infinity;
  body.querySelectorAll("g.item[data-nodes]:not(.is-away):not([data-title])").forEach((box) => {
    if (box === from) return;
    const [left, top] = middleOf(box);
    const ahead = (left - x) * right + (top - y) * down;
    const aside = Math.abs((left - x) * down) + Math.abs((top - y) * right);
    if (ahead > 1 && ahead + 2 * aside < least) {
      least = ahead + 2 * aside;
      best = box;
    }
  });
  return best;
}

function walk(group, step) {
  const pane = state.panes.find((candidate) => candidate.body.contains(group));
  const next = pane && nextBox(pane.body, group, step);
  if (!next) return;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// The sign of the box or frame that is in focus, if it has one.
function signOf(target) {
  if (target.closest(".sign")) return target.closest(".sign");
  const group = target.closest("g.item");
  const pane = group && state.panes.find((candidate) => candidate.body.contains(group));
  const item = pane && pane.drawing && pane.drawing.items.find((each) => each.group === group);
  return item ? item.texts.find((text) => text.classList.contains("sign")) : null;
}

function onKey(event) {
  if (event.target.matches("input, select")) return;
  if (event.key === "Escape") select(null);
  const group = event.target.closest("g.item");
  if (steps[event.key] && group) {
    walk(group, steps[event.key]);
    event.preventDefault();
  }
  if (["+", "=", "-"].includes(event.key)) {
    const sign = signOf(event.target);
    const isOpen = sign && sign.getAttribute("aria-expanded") === "true";
    if (sign && isOpen === (event.key === "-")) press(sign);
  }
  if (event.key === "Enter" || event.key === " ") {
    const sign = event.target.closest(".sign");
    const target = event.target.closest("[data-nodes], #source [data-line]");
    if (sign) press(sign);
    else if (target) choose(target);
    if (sign || target) event.preventDefault();
  }
}

function startWalking() {
  document.addEventListener("keydown", onKey);
}
