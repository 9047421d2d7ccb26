import { browser, type System } from './plugins/swagger.js';

/**
 * A link to an operation opens it here and brings it into sight: Swagger UI reads the address only when it starts, opens links in
 * another window, and scrolls only to what it draws for the first time.
 */
export function followLinks({ layoutActions }: System): void {
  browser.addEventListener('hashchange', () => {
    const { hash } = browser.location;
    layoutActions.parseDeepLinkHash(hash);
    const id = `operations-${hash.replace(/^#\//, '').replaceAll('/', '-')}`;
    // It is opened by then.
    browser.setTimeout(() => browser.document.querySelector(`[id="${id}"]`)?.scrollIntoView());
  });
  browser.document.addEventListener('click', (event) => {
    const anchor = event.target.closest('a[href^="#/"]')?.getAttribute('href');
    if (anchor === null || anchor === undefined) return;
    event.preventDefault();
    browser.location.hash = anchor;
  });
}
