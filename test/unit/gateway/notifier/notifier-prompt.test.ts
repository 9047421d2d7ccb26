import { expect, test } from 'vitest';
import { notifierPrompt } from '../../../../src/gateway/notifier/notifier-prompt.js';

const parts = {
  tool: 'claude',
  skills: { process: false, comms: false },
  settings: { mode: 'any_inbox', appendixText: '' },
  gatewayUrl: 'http://127.0.0.1:4321',
  notices: { prepend: '', append: '' },
} as const;

test('the whole prompt', () => {
  expect(notifierPrompt(parts)).toBe(`You have mail in inbox.

No mailbox skill is installed for this agent.
Work through the mailbox with the API below.

Mode: \`any_inbox\` - open unarchived inbox mail
Gateway: \`http://127.0.0.1:4321\`

Mailbox API: \`GET /v1/mail/status\`; \`POST /v1/mail/list|peek|read|reply|send|post|mark|move|archive\`.

Use the mailbox skill or API above for this round.`);
});

test('with everything that may be in it', () => {
  const prompt = notifierPrompt({
    ...parts,
    settings: { mode: 'unread_only', appendixText: 'Be {{NOTIFIER_MODE}}.' },
    notices: { prepend: 'Sender notice - from a@b:\n> {{GATEWAY_BASE_URL}}\n\n', append: '\n\n+ 1 more' },
  });
  expect(prompt).toMatch(
    /^Sender notice - from a@b:\n> \{\{GATEWAY_BASE_URL\}\}\n\nYou have mail in inbox\.\n\n/,
  );
  expect(prompt).toContain('Mode: `unread_only` - unread unarchived inbox mail');
  expect(prompt).toContain(
    'archive`.\n\nAdditional runtime guidance:\nBe {{NOTIFIER_MODE}}.\n\n+ 1 more\n\nUse the',
  );
});

test.each([
  ['claude', '/houmao-process-emails-via-gateway'],
  ['codex', '$houmao-process-emails-via-gateway http://127.0.0.1:4321'],
  ['gemini', 'Use the skill `houmao-process-emails-via-gateway` for this mail.'],
])('%s gets its skills named where they are installed', (tool, line) => {
  expect(notifierPrompt({ ...parts, tool, skills: { process: true, comms: false } })).toContain(
    `\n\n${line}\n\n`,
  );
  const both = notifierPrompt({ ...parts, tool, skills: { process: true, comms: true } });
  expect(both).toContain(`\n\n${line}\nDetails: \`houmao-agent-email-comms\`\n\n`);
});
