import { expect, test } from 'vitest';
import { errorsMarkdown, eventsMarkdown } from '../../../../src/contract/document/catalogue-markdown.js';
import { smallContract } from '../../page/small-contract.js';

const library = { name: 'Library', document: smallContract };

test('error codes are rows, below the name of their surface', () => {
  const text = errorsMarkdown([library]);
  expect(text).toContain('## Library\n\n| code |');
  expect(text).toContain('| `unknown_book` | 404 | There is no such book. | `getBook`, `putBook` |');
  expect(text).toContain('| `body_too_large` | 413 |  | every operation with');
});

test('kinds of events are sections with their data', () => {
  expect(eventsMarkdown(library)).toContain('## lent\n\nA book was lent.\n\n* `book`: Which one.\n');
});
