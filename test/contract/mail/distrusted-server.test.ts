// Whom a gateway shows the credential of a mailbox to, over TLS and without.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startGateway } from '../../support/gateway-process.js';
import { call } from '../../support/http.js';
import { addressAt } from '../../support/jmap/accounts.js';
import { aliceRefs, mailMethods, statusOf } from '../../support/jmap/scripted-mail.js';
import { scriptedServer } from '../../support/jmap/scripted-server.js';
import { makeSession } from '../../support/test-session.js';
import { tlsAuthority, tlsIdentity } from '../../support/tls-identity.js';
import { bindMailbox } from '../support/edit-manifest.js';

const address = addressAt('alice');

/** A gateway whose agent has its mailbox there. @param trusted what Node shall trust beside its defaults. */
async function gatewayTo(jmapUrl: string, trusted: string | null = null, credential: object = {}) {
  const session = await makeSession({ name: 'alice' });
  onTestFinished(() => session.remove());
  bindMailbox(session.paths, { address, jmapUrl, credential: { password: 'sesame', ...credential } });
  const file = join(session.folder, 'ca.pem');
  if (trusted !== null) writeFileSync(file, trusted);
  const environment = trusted === null ? {} : { NODE_EXTRA_CA_CERTS: file };
  const gateway = await startGateway(session, { environment });
  onTestFinished(async () => void (await gateway.stop()));
  return (operation: string, body: object) => call(gateway.url, 'POST', `/v1/mail/${operation}`, body);
}
const mail = { to: [address], subject: 's', body_content: '' };

test('a server with a certificate of its own is refused, and the words say how to trust it', async () => {
  const server = await scriptedServer(await tlsIdentity('127.0.0.1'));
  const ask = await gatewayTo(`${server.url}/jmap`);
  for (const [operation, body] of [
    ['list', {}],
    ['send', mail],
  ] as const) {
    const answer = await ask(operation, body);
    expect([answer.status, answer.body.detail]).toEqual([
      502,
      `${server.url}/jmap shows a certificate that is not trusted here (DEPTH_ZERO_SELF_SIGNED_CERT); start this program with NODE_EXTRA_CA_CERTS=<file of its CA>`,
    ]);
    expect(answer.headers.get('x-houmao-done')).toBeNull();
  }
  expect(server.asked).toEqual([]);
});

test('one whose certificate an authority signed that the gateway trusts is spoken to, and none for another name', async () => {
  const authority = await tlsAuthority();
  const server = await scriptedServer(await authority.identity('127.0.0.1'));
  server.api = mailMethods(statusOf(null));
  const ask = await gatewayTo(`${server.url}/jmap`, authority.cert);
  expect((await ask('send', mail)).body.message).toMatchObject({
    message_ref: aliceRefs(server).message('M9'),
  });
  const other = await scriptedServer(await authority.identity('mail.example.test'));
  const answer = await (await gatewayTo(`${other.url}/jmap`, authority.cert))('list', {});
  expect([answer.status, answer.body.detail]).toEqual([
    502,
    expect.stringMatching(/shows a certificate for another name \(ERR_TLS_CERT_ALTNAME_INVALID\)$/),
  ]);
  expect(other.asked).toEqual([]);
});

test('without TLS a server that is not on this machine is not asked, unless the credential says that it may be', async () => {
  const server = await scriptedServer();
  server.api = mailMethods(statusOf(null));
  // It leads to this machine, and by its name nobody could say so.
  const url = `${server.url.replace('127.0.0.1', '0.0.0.0')}/jmap`;
  const refused = await (await gatewayTo(url))('list', {});
  expect([refused.status, refused.body.detail]).toEqual([
    502,
    expect.stringMatching(
      /is not on this machine, and without TLS anybody on the way could read the credential/,
    ),
  ]);
  expect(server.asked).toEqual([]);
  const allowed = await gatewayTo(url, null, { allow_plain_http: true });
  expect((await allowed('list', {})).status).toBe(200);
});
