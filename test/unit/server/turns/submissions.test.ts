import { expect, test } from 'vitest';
import { digestOf, type SubmittedPrompt } from '../../../../src/server/turns/submissions.js';

const prompt: SubmittedPrompt = {
  way: 'requests',
  prompt: 'p',
  chatSession: null,
  execution: null,
  metadata: null,
  key: 'k',
};

test('a key stands for everything that is asked: whatever differs of it, but the key, is another body', () => {
  const model = { name: 'm', reasoning: { level: 2 } };
  const bodies: SubmittedPrompt[] = [
    prompt,
    { ...prompt, way: 'turns' },
    { ...prompt, prompt: 'q' },
    { ...prompt, chatSession: { mode: 'new', id: null } },
    { ...prompt, execution: { model } },
    { ...prompt, metadata: { ticket: 'HOU-1' } },
    { ...prompt, metadata: { ticket: 'HOU-2' } },
    { ...prompt, execution: { model: { ...model, reasoning: { level: 3 } } } },
  ];
  expect(new Set(bodies.map(digestOf)).size).toBe(bodies.length);
  expect(digestOf({ ...prompt, key: 'other' })).toBe(digestOf(prompt));
});
