import type { FakeContract } from './fake-contract.js';

/** The type of the modules that the build compiles into contracts/; package.json maps `#fake-…-contract` to them. */
declare const contract: FakeContract;
export default contract;
