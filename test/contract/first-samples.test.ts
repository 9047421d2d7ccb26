import { expect, test } from 'vitest';
import gateway from '../../generated/gateway/openapi.json' with { type: 'json' };
import server from '../../generated/managed-agent/openapi.json' with { type: 'json' };
import type { Part } from './support/bundle.js';

// A press of Execute on the page sends the first sample.

test.each([
  ['gateway', gateway as Part],
  ['managed-agent', server as Part],
])('the first samples of %s neither pause, repeat nor wait', (_surface, document) => {
  const operations = Object.values<Part>(document.paths).flatMap((item) => Object.values<Part>(item));
  const bodies = operations.flatMap(({ requestBody }) => {
    const media = requestBody?.content['application/json'];
    const [first] = Object.values<Part>(media?.examples ?? {});
    return media ? [media.example ?? first.value] : [];
  });
  const parts = bodies.flatMap((body) => [body, ...(body.reminders ?? [])]);
  expect(parts.filter(({ paused, mode }) => paused === true || mode === 'repeat')).toEqual([]);
  const waits = operations
    .flatMap(({ parameters = [] }) => parameters)
    .map((one: Part) => document.components.parameters[one.$ref?.split('/').at(-1)] ?? one)
    .filter(({ name }: Part) => name === 'wait_seconds');
  expect(waits.length).toBeGreaterThan(2);
  expect(new Set(waits.map(({ example }: Part) => example))).toEqual(new Set([0]));
});
