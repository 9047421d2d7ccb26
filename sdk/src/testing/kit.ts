// The entry `@houmao/sdk/testing`: everything public of it is named here.
export type { FakeAnswer } from './fake-answer.js';
// biome-ignore lint/performance/noBarrelFile: a package has one entry
export { createFakeGateway, type FakeGateway } from './fake-gateway.js';
export { createFakeServer, type FakeAgents, type FakeServer } from './fake-server.js';
export type { FakeAnswers, FakeCall, FakeSurface } from './fake-surface.js';
export type { FakeAgent } from './fake-work/fake-work.js';
export { startTestGateway } from './start-test-gateway.js';
export type { StartTestGateway, TestGateway, TestGatewayOptions } from './test-gateway/test-gateway.js';
