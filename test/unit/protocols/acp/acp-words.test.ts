import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  appended,
  nothingShown,
  permissionOptions,
  promptText,
  toolKind,
} from '../../../../src/protocols/acp/acp-words.js';

describe('the text of a turn, for a client that only appends', () => {
  const position = fc.constantFrom('begins' as const, 'continues' as const, 'replaces' as const);
  const parts = fc.array(fc.record({ text: fc.string(), position }));

  test('ends with the message as the agent has it', () => {
    fc.assert(
      fc.property(parts, (all) => {
        let shown = nothingShown;
        let [client, message] = ['', ''];
        for (const part of all) {
          message = part.position === 'continues' ? message + part.text : part.text;
          const next = appended(shown, part);
          shown = next.shown;
          client += next.piece;
          expect(client.endsWith(message)).toBe(true);
        }
      }),
    );
  });

  test('has nothing twice where the whole message comes after its pieces', () => {
    const pieces = [
      { text: 'You ', position: 'begins' },
      { text: 'said', position: 'continues' },
      { text: 'You said: hello', position: 'replaces' },
    ] as const;
    let shown = nothingShown;
    const client = pieces.map((part) => {
      const next = appended(shown, part);
      shown = next.shown;
      return next.piece;
    });
    expect(client.join('')).toBe('You said: hello');
  });
});

test.each([
  ['Yes', 'allow_once'],
  ['Yes, and don’t ask again for ls', 'allow_always'],
  ["Yes, and don't ask again for ls commands", 'allow_always'],
  ['Always allow', 'allow_always'],
  ['No, and tell Claude what to do differently', 'reject_once'],
  ['Deny', 'reject_once'],
  ['Never allow', 'reject_always'],
  ['Not now', 'reject_once'],
  ['Skip', 'reject_once'],
  ['No, never', 'reject_always'],
])('the choice %j is offered as %s', (label, kind) => {
  expect(permissionOptions([{ number: 2, label, marked: false }])).toEqual([
    { optionId: '2', name: label, kind },
  ]);
});

test.each([
  ['Bash', 'execute'],
  ['run_shell_command', 'execute'],
  ['apply_patch', 'edit'],
  ['Read', 'read'],
  ['Grep', 'search'],
  ['WebFetch', 'fetch'],
  ['mcp__other__thing', 'other'],
])('the tool %s is of the kind %s', (name, kind) => {
  expect(toolKind(name)).toBe(kind);
});

describe('a prompt', () => {
  test('is its texts, links and files as one text', () => {
    expect(
      promptText([
        { type: 'text', text: 'Look at this:' },
        { type: 'resource_link', uri: 'file:///a.ts', name: 'a.ts' },
        { type: 'resource', resource: { uri: 'file:///b.ts', text: 'const b = 1;' } },
      ]),
    ).toBe('Look at this:\n\n[a.ts](file:///a.ts)\n\nfile:///b.ts:\n\nconst b = 1;');
  });

  test.each([
    [{ type: 'image', data: 'aGk=', mimeType: 'image/png' } as const, /no image/],
    [{ type: 'resource', resource: { uri: 'file:///c', blob: 'aGk=' } } as const, /no binary files/],
  ])('with %j is refused', (block, words) => {
    expect(() => promptText([block])).toThrow(words);
  });
});
