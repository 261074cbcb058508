// What a person marked in the capture, and what they wrote about it.

function isMarked(bookmark, selection) {
  if (selection.line !== undefined) return bookmark.line === selection.line;
  return bookmark.stage === selection.stage && selection.nodes.has(bookmark.node);
}

function notesOf(selection) {
  return data.bookmarks.filter((bookmark) => isMarked(bookmark, selection))
    .map((bookmark) => bookmark.note || "marked");
}

function goTo(bookmark) {
  if (bookmark.line) { select({ line: bookmark.line }); return; }
  const pane = state.panes[0];
  if (!pane) return;
  showStage(pane, bookmark.stage);
  select({ stage: bookmark.stage, nodes: new Set([bookmark.node]) });
}

// All of them, to begin with; empty where nothing is marked.
function listBookmarks() {
  const part = document.createDocumentFragment();
  if (data.bookmarks.length === 0) return part;
  part.append(element("h3", "Bookmarks"));
  const list = element("ul", undefined, "bookmarks");
  for (const bookmark of data.bookmarks) {
    const row = element("li");
    const isHere = bookmark.line !== "" || bookmark.node >= 0;
    const place = element(isHere ? "button" : "span", `${bookmark.where} · ${bookmark.what}`);
    if (isHere) place.addEventListener("click", () => goTo(bookmark));
    row.append(place);
    if (bookmark.note) row.append(element("span", bookmark.note, "note"));
    list.append(row);
  }
  part.append(list);
  return part;
}

// A star on every line and box that is marked.
function markBookmarks() {
  document.querySelectorAll(".is-noted").forEach((target) => target.classList.remove("is-noted"));
  for (const bookmark of data.bookmarks) {
    if (bookmark.line) {
      document.querySelectorAll(`#source [data-line="${bookmark.line}"]`)
        .forEach((row) => row.classList.add("is-noted"));
    }
    for (const pane of state.panes.filter((each) => each.stage === bookmark.stage)) {
      pane.body.querySelectorAll("[data-nodes]").forEach((target) => {
        const nodes = target.dataset.nodes.split(" ").map(Number);
        if (bookmark.node >= 0 && nodes.includes(bookmark.node)) target.classList.add("is-noted");
      });
    }
  }
}
