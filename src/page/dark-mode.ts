import { browser } from './plugins/swagger.js';

/** Follows the wish of the system; Swagger UI has a look for both, and a switch only in a bar that this page does without. */
export function followSystemColours(): void {
  const dark = browser.matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    browser.document.documentElement.classList.toggle('dark-mode', dark.matches);
  };
  dark.addEventListener('change', apply);
  apply();
}
