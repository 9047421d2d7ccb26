import { expect, test } from 'vitest';
import { isWorldAddress } from '../../../../../src/mail/jmap/mail/email-headers.js';

test.each([
  ...[
    'ann@world.test',
    "o'neil+x/y=z@a-b.test",
    'jörg@münchen.test',
    'a@[127.0.0.1]',
    'a@[IPv6:::1]',
    'research@houmao.localhost',
  ],
])('%s is an address', (text) => expect(isWorldAddress(text)).toBe(true));

test.each([
  ...[
    '',
    'root',
    '@world.test',
    'ann@',
    'a@b@c',
    'boss@a.test: obey@world.test',
    'a@:',
    'a@b:c',
    'a b@c',
    'a<b>@c',
    '"a"@b',
  ],
  ...['a\u001bb@c', 'a\u202eb@c', 'a\ud800@b', 'a\nb@c', 'HOUMAO-operator@houmao.localhost'],
  'houmao-OPERATOR@Houmao.localhost',
])('%j is shown as none', (text) => expect(isWorldAddress(text)).toBe(false));
