import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MailRefusal } from '../../../../src/mail/message/mail-fault.js';
import { defaultIdentity, isAddress, isReserved } from '../../../../src/mail/message/names.js';

test.each([
  ['codex', 'researcher', null, 'HOUMAO-codex-researcher', 'codex-researcher'],
  ['codex', 'researcher', 'research', 'HOUMAO-research', 'research'],
  ['codex', 'researcher', 'HOUMAO-research', 'HOUMAO-research', 'research'],
  ['codex', 'r', 'my agent!!', 'HOUMAO-my agent!!', 'my-agent'],
  ['codex', 'r', '__x', 'HOUMAO-__x', 'x'],
  ['codex', 'r', ' \u0085', 'HOUMAO-codex-r', 'codex-r'],
  ['codex', 'r', '/home/x/agent', 'HOUMAO-codex-r', 'codex-r'],
  ['codex', 'r', 'agent.json', 'HOUMAO-codex-r', 'codex-r'],
  ['codex', 'x'.repeat(60), null, `HOUMAO-codex-${'x'.repeat(34)}`, `codex-${'x'.repeat(34)}`],
])('%s, %s, %j', (tool, role, identity, principalId, local) => {
  expect(defaultIdentity({ tool, role, identity })).toEqual({
    principalId,
    address: `${local}@houmao.localhost`,
  });
});

test('a name of the system is refused', () => {
  const attempt = () => defaultIdentity({ tool: 'codex', role: 'r', identity: 'HOUMAO-HOUMAO-x' });
  expect(attempt).toThrow(MailRefusal);
});

test('whatever a session is called, its address is one and not the system’s', () => {
  const name = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(name, name, fc.option(name), (tool, role, identity) => {
      fc.pre(!/^[^A-Za-z0-9]*HOUMAO-/.test(identity?.replace(/^HOUMAO-/, '') ?? tool));
      const { address, principalId } = defaultIdentity({ tool, role, identity });
      expect(isAddress(address) && !isReserved(address)).toBe(true);
      expect(principalId.startsWith('HOUMAO-')).toBe(true);
    }),
  );
});
