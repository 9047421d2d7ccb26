/// <reference lib="esnext.disposable" preserve="true" />

/** The gateway to start. */
export interface TestGatewayOptions {
  /**
   * The folder of the package `houmao`, built. When left out, it is looked up as Node looks up a package from the
   * current folder.
   */
  houmao?: string | undefined;
  /** The agent's name. Default: `standin`. */
  agent?: string | undefined;
}

/** A real gateway with a stand-in agent behind it. Pass it to `createGatewayClient` directly. */
export interface TestGateway extends AsyncDisposable {
  readonly baseUrl: string;
  /** The folder with all its files. */
  readonly folder: string;
  /** The registry for `connect({ agent, registryRoot })`; this agent is in no other one. */
  readonly registryRoot: string;
  /** Ends the gateway, with a running turn, and removes the folder. May be called more than once. */
  close(): Promise<void>;
}

/** @throws Error that says what is missing, or with the gateway's output when it did not start. */
export type StartTestGateway = (options?: TestGatewayOptions) => Promise<TestGateway>;
