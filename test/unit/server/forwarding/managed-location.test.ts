import { describe, expect, test } from 'vitest';
import { operations as gatewayOperations } from '../../../../generated/gateway/server/operations.js';
import { routes } from '../../../../generated/managed-agent/server/routes.js';
import { forwardedHeaders, managedLocation } from '../../../../src/server/forwarding/managed-location.js';

const ownPaths = new Set(Object.values(routes).map(({ path }) => path as string));

describe('the paths of a gateway', () => {
  test.each(
    Object.values(gatewayOperations)
      .map(({ path }) => path)
      .filter((path) => !['/health', '/metrics', '/v1/status'].includes(path)),
  )('%s leads to an operation of the server', (path) => {
    const location = managedLocation(path, 'alpha');
    expect(ownPaths).toContain(location?.replace('/alpha/', '/{agent_ref}/'));
  });

  test('a name of an agent is one part of the path', () => {
    expect(managedLocation('/v1/turns/turn-1', 'a b/c')).toBe(
      '/houmao/agents/a%20b%2Fc/gateway/turns/turn-1',
    );
  });

  test('another server, and what is not of the gateway’s API, lead nowhere', () => {
    expect(managedLocation('http://example.com/v1/turns/t', 'a')).toBeNull();
    expect(managedLocation('/health', 'a')).toBeNull();
  });
});

test('of the headers stay the ones that the caller has use for', () => {
  const headers = {
    'x-houmao-turn-id': 'turn-1',
    'x-houmao-done': 'true',
    location: '/v1/turns/turn-1',
    'retry-after': '1',
    'idempotency-replayed': 'true',
    'x-request-id': 'http-1',
    connection: 'close',
    'content-length': '12',
    'set-cookie': ['a', 'b'],
  };
  expect(forwardedHeaders(headers, 'alpha')).toEqual({
    'X-Houmao-Turn-Id': 'turn-1',
    'X-Houmao-Done': 'true',
    Location: '/houmao/agents/alpha/gateway/turns/turn-1',
    'Retry-After': '1',
    'Idempotency-Replayed': 'true',
  });
});
