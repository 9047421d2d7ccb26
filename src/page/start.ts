// What the page runs: Swagger UI over this surface's contract, with the plugins beside.
import { followSystemColours } from './dark-mode.js';
import { followLinks } from './follow-links.js';
import { askedPanel } from './plugins/asked-panel.js';
import { cataloguePanel } from './plugins/catalogue-panel.js';
import { samplesPanel } from './plugins/samples-panel.js';
import { search } from './plugins/search.js';
import { browser, type PageElement } from './plugins/swagger.js';
import { unavailable } from './plugins/unavailable.js';
import { present } from './present.js';
import { openDocument } from './sign-in.js';

async function show(place: PageElement): Promise<void> {
  followSystemColours();
  const { document, token } = await openDocument(place);
  const sdk = document.info['x-houmao-sdk'];
  const ui = browser.SwaggerUIBundle({
    spec: present(document, token !== null),
    dom_id: '#swagger-ui',
    presets: [browser.SwaggerUIBundle.presets.apis],
    plugins: [
      askedPanel(document, token),
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

const place = browser.document.querySelector('#swagger-ui');
if (place)
  show(place).catch((error: Error) => {
    place.textContent = `The page cannot be shown: ${error.message}. Load it again.`;
  });
