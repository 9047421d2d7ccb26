import { expect, test } from 'vitest';
import { headlessDisplayOf } from '../../../src/session/manifest-facts.js';
import type { Manifest } from '../../../src/session/manifest-schema.js';

const displayOf = (metadata: object) =>
  headlessDisplayOf({ launch_plan: { metadata } } as unknown as Manifest);

test('is that of the launch', () => {
  const requestedOf = { headless_display_style: 'fancy', headless_display_detail: 'detail' };
  expect(displayOf(requestedOf)).toEqual({ style: 'fancy', detail: 'detail' });
});

test.each([
  ['nothing', {}],
  ['words that it does not know', { headless_display_style: 'loud', headless_display_detail: 'all' }],
  ['no words', { headless_display_style: 3, headless_display_detail: null }],
])('is the usual one for a manifest that says %s', (_what, metadata) => {
  expect(displayOf(metadata)).toEqual({ style: 'plain', detail: 'concise' });
});
