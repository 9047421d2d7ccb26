import { networkInterfaces } from 'node:os';

/** A real CLI must never run where it could reach anything: outside the sandbox nothing of this tier starts. */
const outside = Object.values(networkInterfaces())
  .flat()
  .filter((address) => address !== undefined && !address.internal);

if (process.env.HOUMAO_SANDBOX !== '1' || outside.length > 0) {
  throw new Error('the agents tier runs only inside its sandbox: npm run test:agents');
}
