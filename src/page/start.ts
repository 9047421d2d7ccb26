// The script of the page: Swagger UI over this surface's contract, with the plugins of this folder.
import { dialogPanel } from './asked-panel.js';
import { cataloguePanel } from './catalogue-panel.js';
import { present, unavailable } from './present.js';
import { samplesPanel } from './samples-panel.js';
import { search } from './search.js';
import { openDocument } from './sign-in.js';
import { browser, type PageElement, type System } from './swagger.js';

/**
 * Opens the operation that a link leads to on this page, and scrolls to it: Swagger UI reads the address only when it starts,
 * opens links in another window, and scrolls only to operations that it draws for the first time.
 */
function followLinks({ layoutActions }: System): void {
  browser.addEventListener('hashchange', () => {
    const { hash } = browser.location;
    layoutActions.parseDeepLinkHash(hash);
    const id = `operations-${hash.replace(/^#\//, '').replaceAll('/', '-')}`;
    // The operation is open by then.
    browser.setTimeout(() => browser.document.querySelector(`[id="${id}"]`)?.scrollIntoView());
  });
  browser.document.addEventListener('click', (event) => {
    const anchor = event.target.closest('a[href^="#/"]')?.getAttribute('href');
    if (anchor === null || anchor === undefined) return;
    event.preventDefault();
    browser.location.hash = anchor;
  });
}

/**
 * Follows the colour scheme of the system; Swagger UI has a light and a dark one, but a switch only
 * in a bar that this page omits.
 */
function followSystemColours(): void {
  const dark = browser.matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    browser.document.documentElement.classList.toggle('dark-mode', dark.matches);
  };
  dark.addEventListener('change', apply);
  apply();
}

async function show(place: PageElement): Promise<void> {
  followSystemColours();
  const { document, token } = await openDocument(place);
  const sdk = document.info['x-houmao-sdk'];
  const ui = browser.SwaggerUIBundle({
    spec: present(document, token !== null),
    dom_id: '#swagger-ui',
    presets: [browser.SwaggerUIBundle.presets.apis],
    plugins: [
      dialogPanel(document, token),
      cataloguePanel(document),
      samplesPanel(document, sdk ?? null),
      search(document),
      unavailable,
    ],
    layout: 'BaseLayout',
    filter: true,
    deepLinking: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
    docExpansion: 'list',
    onComplete: () => {
      if (token !== null) ui.preauthorizeApiKey('bearerToken', token);
    },
  });
  followLinks(ui.getSystem());
}

// In place of the start-up of swagger-ui-express, which has a document at once.
browser.onload = () => {
  const place = browser.document.querySelector('#swagger-ui');
  if (!place) return;
  show(place).catch((error: Error) => {
    place.textContent = `The page cannot be shown: ${error.message}. Load it again.`;
  });
};
