import { expect, test } from 'vitest';
import { operations as ofGateway } from '../../../../sdk/src/generated/gateway/operations.js';
import { operations as ofServer } from '../../../../sdk/src/generated/managed-agent/operations.js';
import { gatewayOperations } from '../../../../sdk/src/managed-agent/gateway-operations.js';

const passedOn = Object.entries(ofServer)
  .filter(([, { path }]) => /\{agent_ref\}\/gateway(?!\/internal)/.test(path))
  .map(([id]) => id);

test('every operation of a gateway that the server passes on has the name of the gateway’s own client', () => {
  const named = gatewayOperations();
  expect(named.map(([, id]) => id).toSorted()).toEqual(passedOn.toSorted());
  const names = named.map(([name]) => name).filter((name) => name !== 'attach' && name !== 'detach');
  expect(names.length).toBeGreaterThan(20);
  expect(Object.keys(ofGateway)).toEqual(expect.arrayContaining(names));
});

test('what goes by the same name is the same call', () => {
  const lastOf = (path: string) => path.slice(path.lastIndexOf('/')).replace('/status', '/gateway');
  for (const [name, id] of gatewayOperations()) {
    if (!(name in ofGateway)) continue;
    const { method, path } = ofGateway[name as keyof typeof ofGateway];
    expect([name, ofServer[id].method, lastOf(ofServer[id].path)]).toEqual([name, method, lastOf(path)]);
  }
});
