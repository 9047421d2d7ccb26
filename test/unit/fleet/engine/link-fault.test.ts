import { JetStreamApiError } from '@nats-io/jetstream';
import { NoRespondersError, RequestError, TimeoutError } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { engineFaultWords, linkFaultOf } from '../../../../src/fleet/engine/link-fault.js';
import { StoreLost } from '../../../../src/fleet/engine/stores.js';

const settings = { urls: ['nats://a:4222', 'nats://b:4222'], host: 'ws1', credentials: null };
const unanswered = new RequestError('no responders', { cause: new NoRespondersError('$JS.API.INFO') });

test('a NATS server without JetStream refuses a host; one that had it is without it for now', () => {
  expect(linkFaultOf(unanswered, settings)).toMatchObject({ kind: 'refused' });
  expect(linkFaultOf(unanswered, settings, { wasOpen: true })).toMatchObject({
    kind: 'offline',
    reason: expect.stringContaining('nats://a:4222, nats://b:4222'),
  });
});

test('a stream that was removed, and a silent server, are faults that pass', () => {
  expect(linkFaultOf(new StoreLost('HOUMAO_EVT'), settings)).toMatchObject({
    kind: 'offline',
    reason: expect.stringContaining('HOUMAO_EVT'),
  });
  expect(linkFaultOf(new TimeoutError(), settings)).toMatchObject({ kind: 'offline' });
});

test('a server that answers and confirms nothing that is written has another remedy than a silent one', () => {
  const silent = linkFaultOf(new TimeoutError(), settings);
  const full = linkFaultOf(new TimeoutError(), settings, { wasOpen: true, answers: true });
  expect([full.kind, silent.kind]).toEqual(['offline', 'offline']);
  expect(full.reason).not.toBe(silent.reason);
  expect(engineFaultWords(new TimeoutError())).toContain('log');
});

test('an error for want of room has a remedy, and no other one', () => {
  const fault = (err_code: number) =>
    new JetStreamApiError({ code: 503, err_code, description: 'maximum bytes exceeded' });
  expect(engineFaultWords(fault(10_077))).toContain('max_file_store');
  expect(engineFaultWords(fault(10_071))).toBe('maximum bytes exceeded');
  expect(linkFaultOf(fault(10_047), settings).reason).toContain('max_file_store');
});

test.each([
  ['of an authority that is not trusted', 'SELF_SIGNED_CERT_IN_CHAIN', '--fleet-ca'],
  ['that vouches for itself', 'DEPTH_ZERO_SELF_SIGNED_CERT', '--fleet-ca'],
  ['for another name', 'ERR_TLS_CERT_ALTNAME_INVALID', 'join by a name or an address'],
])('a certificate %s keeps a host out until it is remedied', (_what, code, remedy) => {
  expect(linkFaultOf(Object.assign(new Error('refused'), { code }), settings)).toEqual({
    kind: 'offline',
    reason: expect.stringContaining(remedy),
  });
});
