"use strict";
// The theme of a page: the system's, or the notebook's that it stands in, until its button is pressed.

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  document.getElementById("theme").textContent = name === "dark" ? "Light" : "Dark";
}

const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
const followSystem = () => setTheme(prefersDark.matches ? "dark" : "light");

document.getElementById("theme").addEventListener("click", () => {
  prefersDark.removeEventListener("change", followSystem);
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
});

prefersDark.addEventListener("change", followSystem);
followSystem();
