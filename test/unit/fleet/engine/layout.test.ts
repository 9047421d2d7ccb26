import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  callSubject,
  commandSubject,
  commandsOf,
  eventSubject,
  hostConsumer,
  inboxPrefix,
  mailOf,
  mailSender,
  mailSubject,
  rightsOf,
  streams,
  tokenOf,
} from '../../../../src/fleet/engine/layout.js';
import { hostNamePattern, usualHostName } from '../../../../src/foundation/host-name.js';

/** How NATS compares a subject with a pattern: token by token, `*` for one and `>` for the rest. */
function matches(pattern: string, subject: string): boolean {
  const own = subject.split('.');
  const tokens = pattern.split('.');
  return (
    tokens.every((token, at) =>
      token === '>' ? at < own.length : own[at] !== undefined && (token === '*' || token === own[at]),
    ) &&
    (tokens.at(-1) === '>' || tokens.length === own.length)
  );
}
const may = (patterns: readonly string[], subject: string): boolean =>
  patterns.some((pattern) => matches(pattern, subject));

const names = fc.stringMatching(hostNamePattern);
const twoHosts = fc.tuple(names, names).filter(([one, other]) => one !== other);

describe('the name of a host that is given none', () => {
  test.each([
    ['ws1', 'ws1'],
    ['Ann-Laptop.local', 'ann-laptop'],
    ['build_01.example.com', 'build-01'],
    ['-x-', 'x'],
    ['', 'host'],
    ['…', 'host'],
    [`${'a'.repeat(62)}-b`, 'a'.repeat(62)],
  ])('%s is %s', (machine, name) => {
    expect(usualHostName(machine)).toBe(name);
  });

  test('is a name of a host, and stays as it is where the machine has such a name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (machine) => hostNamePattern.test(usualHostName(machine))),
    );
    fc.assert(fc.property(names, (name) => usualHostName(name) === name));
  });
});

test('a token is one token of a subject, and two texts never have the same one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (one, other) => {
      expect(tokenOf(one)).toMatch(/^[A-Za-z0-9_=-]*$/);
      expect(tokenOf(one) === tokenOf(other)).toBe(one === other);
    }),
  );
});

test('the subject of mail says whose it is', () => {
  fc.assert(fc.property(twoHosts, ([to, from]) => mailSender(mailSubject(to, from)) === from));
});

describe('the rights of a host', () => {
  test('have wildcards as whole tokens only, as NATS knows no others', () => {
    const { publish, subscribe } = rightsOf('ws1');
    for (const token of [...publish, ...subscribe].flatMap((subject) => subject.split('.')))
      expect(token).toMatch(/^(?:[*>]|[^*>]+)$/);
  });

  test('let it hear what is meant for it, and nothing that is meant for another one', () => {
    fc.assert(
      fc.property(twoHosts, ([own, other]) => {
        const { subscribe } = rightsOf(own);
        expect(may(subscribe, callSubject(own))).toBe(true);
        expect(may(subscribe, `${inboxPrefix(own)}.x.y`)).toBe(true);
        for (const subject of [callSubject(other), `${inboxPrefix(other)}.x.y`, commandSubject(other, 'a')])
          expect(may(subscribe, subject)).toBe(false);
      }),
    );
  });

  test('let it say what is its own, and speak for no other one', () => {
    fc.assert(
      fc.property(twoHosts, fc.string({ minLength: 1 }), ([own, other], agent) => {
        const { publish } = rightsOf(own);
        const token = tokenOf(agent);
        const queue = (stream: string, subjects: string, host: string) => [
          `$JS.API.CONSUMER.CREATE.${stream}.${hostConsumer(host)}.${subjects}`,
          `$JS.API.CONSUMER.MSG.NEXT.${stream}.${hostConsumer(host)}`,
          `$JS.ACK.${stream}.${hostConsumer(host)}.1.2.3.4.5`,
        ];
        const said = (host: string) => [
          eventSubject(host),
          `$KV.houmao_hosts.${host}`,
          `$KV.houmao_agents.${host}.${token}`,
          mailSubject('ws9', host),
          ...queue(streams.commands, commandsOf(host), host),
          ...queue(streams.mail, mailOf(host), host),
        ];
        for (const subject of said(own)) expect(may(publish, subject), subject).toBe(true);
        for (const subject of said(other)) expect(may(publish, subject), subject).toBe(false);
        for (const subject of [callSubject(other), commandSubject(other, agent), `${inboxPrefix(other)}.x.y`])
          expect(may(publish, subject), subject).toBe(true);
      }),
    );
  });
});
