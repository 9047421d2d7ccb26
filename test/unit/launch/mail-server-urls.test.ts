import { expect, test } from 'vitest';
import { mailServerUrls, type NamedServer } from '../../../src/launch/mail-server.js';

const at = (jmapUrl: string, managementUrl: string) => ({ ok: true, jmapUrl, managementUrl });

test.each<[string, NamedServer[], ReturnType<typeof at>]>([
  ['follow from a base', [{ baseUrl: 'https://a/' }], at('https://a/jmap', 'https://a/api')],
  [
    'follow from a base in a folder',
    [{ baseUrl: 'https://a/b//' }],
    at('https://a/b/jmap', 'https://a/b/api'),
  ],
  [
    'are those that are named',
    [{ baseUrl: 'https://a', jmapUrl: 'https://b/j' }],
    at('https://b/j', 'https://a/api'),
  ],
  [
    'the management one follows from the other',
    [{ jmapUrl: 'https://b:8/j?x' }],
    at('https://b:8/j?x', 'https://b:8/api'),
  ],
  [
    'are those of the first source that names them',
    [
      { managementUrl: 'https://a/m', baseUrl: null },
      { baseUrl: 'https://b', managementUrl: 'https://b/m' },
      { baseUrl: 'https://c', jmapUrl: null },
    ],
    at('https://b/jmap', 'https://a/m'),
  ],
])('the addresses of a mail server %s', (_what, sources, urls) => {
  expect(mailServerUrls(sources)).toEqual(urls);
});

test.each<[NamedServer, string, RegExp]>([
  [{}, 'base_url', /is needed/],
  [{ managementUrl: 'https://a/api' }, 'base_url', /is needed/],
  [{ baseUrl: 'mail.example.org' }, 'base_url', /http or https/],
  [{ baseUrl: 'https://a/?x' }, 'base_url', /neither a query/],
  [{ baseUrl: 'https://a/#x' }, 'base_url', /neither a query/],
  [{ jmapUrl: 'ftp://a/' }, 'jmap_url', /http or https/],
  [{ baseUrl: 'https://a', managementUrl: 'https://me:x@a/' }, 'management_url', /no user/],
])('%j: the part that breaks a rule is named', (source, part, rule) => {
  expect(mailServerUrls([source])).toEqual({ ok: false, part, rule: expect.stringMatching(rule) });
});
