// The script of the page: Swagger UI over this surface's contract, with the plugins of this folder.
import { dialogPanel } from './asked-panel.js';
import { cataloguePanel } from './catalogue-panel.js';
import { layout } from './layout.js';
import { followLinks, links } from './links.js';
import { ownDocument } from './own-document.js';
import { present, unavailable } from './present.js';
import { samplesPanel } from './samples-panel.js';
import { openDocument } from './sign-in.js';
import { browser, type PageElement } from './swagger.js';

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

/** @param engine resolves when Swagger UI is there. */
async function show(place: PageElement, engine: Promise<void>): Promise<void> {
  followSystemColours();
  const { document, token } = await openDocument(place);
  await engine;
  const sdk = document.info['x-houmao-sdk'];
  const ui = browser.SwaggerUIBundle({
    // Its content comes from the plugin.
    spec: { openapi: '3.1.0' },
    dom_id: '#swagger-ui',
    presets: [browser.SwaggerUIBundle.presets.apis],
    plugins: [
      ownDocument(present(document, token !== null)),
      dialogPanel(document, token),
      cataloguePanel(document),
      samplesPanel(document, sdk ?? null),
      layout(document),
      links,
      unavailable,
    ],
    layout: 'BaseLayout',
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

// In place of the start-up of swagger-ui-express, which has a document at once. This script runs before that of Swagger UI, so that
// the document is on its way while the browser reads the larger one.
browser.noZensmooth = true;
const place = browser.document.querySelector('#swagger-ui');
const engine = new Promise<void>((resolve) => browser.document.addEventListener('DOMContentLoaded', resolve));
if (place !== null)
  show(place, engine).catch((error: Error) => {
    place.textContent = `The page cannot be shown: ${error.message}. Load it again.`;
  });
