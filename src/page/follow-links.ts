import { browser, type System } from './plugins/swagger.js';

/** A link to an operation opens it here: Swagger UI reads the address only when it starts, and opens links in another window. */
export function followLinks({ layoutActions }: System): void {
  browser.addEventListener('hashchange', () => layoutActions.parseDeepLinkHash(browser.location.hash));
  browser.document.addEventListener('click', (event) => {
    const anchor = event.target.closest('a[href^="#/"]')?.getAttribute('href');
    if (anchor === null || anchor === undefined) return;
    event.preventDefault();
    browser.location.hash = anchor;
  });
}
