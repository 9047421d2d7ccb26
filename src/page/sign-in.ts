import type { ContractDocument } from '../contract/document/contract-document.js';
import { browser, type PageElement } from './swagger.js';

/** The document, and the token with which it was read; null where the page was opened without one. */
export interface Opened {
  readonly document: ContractDocument;
  readonly token: string | null;
}

/**
 * Requests the document, and asks a person for the token as long as the document is refused.
 * @param place where the form is shown.
 */
export async function openDocument(place: PageElement): Promise<Opened> {
  for (let token: string | null = null; ; ) {
    const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
    const answer = await fetch('./openapi.json', { headers });
    if (answer.ok) return { document: (await answer.json()) as ContractDocument, token };
    if (answer.status !== 401 && answer.status !== 403)
      throw new Error(`its document was answered with ${answer.status}`);
    const { detail } = (await answer.json()) as { detail: string };
    token = await askForToken(place, detail);
  }
}

/** Asks for the token. It stays in the memory of the page only: another program may have this address tomorrow. */
function askForToken(place: PageElement, why: string): Promise<string> {
  place.innerHTML = form;
  const [reason, field, shown] = ['.sign-in-reason', '#token', '.sign-in'].map((selector) =>
    browser.document.querySelector(selector),
  );
  if (!reason || !field || !shown) throw new Error('its form is not there');
  reason.textContent = why;
  field.focus();
  // The reason for refusing one token does not hold for another.
  field.addEventListener('invalid', () => {
    reason.textContent =
      field.value.trim() === '' ? 'Enter the token.' : 'A token has only letters, digits, - and _.';
  });
  return new Promise((resolve) => {
    shown.addEventListener('submit', (event) => {
      event.preventDefault();
      resolve(field.value.trim());
    });
  });
}

const form = `<form class="sign-in">
<h1>This page needs a token</h1>
<p class="sign-in-reason" role="alert"></p>
<label class="sign-in-field" for="token">Token</label>
<input class="sign-in-field sign-in-control" id="token" type="password" autocomplete="current-password" required pattern="\\s*[\\w\\-]+\\s*" title="letters, digits, - and _">
<button class="sign-in-control" type="submit">Open the page</button>
<p>It is in the file <code>access-token</code>: in <code>gateway/</code> of an agent's session, or in the server's root. The page forgets it
when it is closed or loaded again.</p>
</form>`;
