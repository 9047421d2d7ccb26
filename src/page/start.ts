// What the page runs: Swagger UI over this surface's contract, with the plugins beside.
import type { ContractDocument } from './contract/contract-document.js';
import { followSystemColours } from './dark-mode.js';
import { followLinks } from './follow-links.js';
import { cataloguePanel } from './plugins/catalogue-panel.js';
import { samplesPanel } from './plugins/samples-panel.js';
import { search } from './plugins/search.js';
import { browser } from './plugins/swagger.js';
import { unavailable } from './plugins/unavailable.js';
import { present } from './present.js';

async function show(): Promise<void> {
  followSystemColours();
  const answer = await fetch('./openapi.json');
  if (!answer.ok) throw new Error(`its document was answered with ${answer.status}`);
  const document = (await answer.json()) as ContractDocument;
  const sdk = document.info['x-houmao-sdk'];
  const ui = browser.SwaggerUIBundle({
    spec: present(document),
    dom_id: '#swagger-ui',
    presets: [browser.SwaggerUIBundle.presets.apis],
    plugins: [cataloguePanel(document), samplesPanel(document, sdk ?? null), search(document), unavailable],
    layout: 'BaseLayout',
    filter: true,
    deepLinking: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
    docExpansion: 'list',
  });
  followLinks(ui.getSystem());
}

show().catch((error: Error) => {
  const place = browser.document.querySelector('#swagger-ui');
  if (place) place.textContent = `The page cannot be shown: ${error.message}. Load it again.`;
});
