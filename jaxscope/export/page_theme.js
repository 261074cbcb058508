"use strict";
// The theme of a page: the system's at first, then whatever its button says.

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  document.getElementById("theme").textContent = name === "dark" ? "Light" : "Dark";
}

document.getElementById("theme").addEventListener("click", () => {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
});

setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

