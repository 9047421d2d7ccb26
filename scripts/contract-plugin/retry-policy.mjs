const policies = ['safe', 'keyed', 'never'];
const key = 'Idempotency-Key';

/**
 * Every operation says in `x-houmao-retry` whether it may be repeated: `safe` as it is, `keyed` with its Idempotency-Key
 * only, `never` not at all. Who takes the key is `keyed`, and nobody else; what only reads is `safe`.
 */
export const RetryPolicy = () => ({
  Operation(operation, { report, location, key: method, resolve }) {
    const policy = operation['x-houmao-retry'];
    const at = (message) => report({ message, location: location.child('x-houmao-retry') });
    if (!policies.includes(policy)) {
      report({
        message: `${operation.operationId} needs x-houmao-retry: ${policies.join(', ')}; it has ${policy ?? 'none'}.`,
        location: location.key(),
      });
      return;
    }
    const parameters = (operation.parameters ?? []).map((one) => (one.$ref ? resolve(one).node : one));
    const takesKey = parameters.some((one) => one?.in === 'header' && one.name === key);
    if (takesKey && policy !== 'keyed')
      at(`${operation.operationId} takes an ${key}, so its x-houmao-retry is keyed.`);
    if (!takesKey && policy === 'keyed') at(`${operation.operationId} is keyed, so it takes an ${key}.`);
    if (method === 'get' && policy !== 'safe')
      at(`${operation.operationId} only reads, so its x-houmao-retry is safe.`);
  },
});
