/// <reference lib="esnext.disposable" preserve="true" />

/** Which gateway to start. */
export interface TestGatewayOptions {
  /**
   * The folder of the package `houmao-gateway`, built. Left out, it is looked up as Node looks up a package of the current folder.
   */
  houmao?: string | undefined;
  /** The agent's name. Default: `standin`. */
  agent?: string | undefined;
}

/** A real gateway with a stand-in agent behind it. Hand it to `createGatewayClient` as it is. */
export interface TestGateway extends AsyncDisposable {
  readonly baseUrl: string;
  /** Everything of it is in here. */
  readonly folder: string;
  /** For `connect({ agent, registryRoot })`: the registry of other agents knows nothing of it. */
  readonly registryRoot: string;
  /** Ends the gateway, with a turn that runs, and removes the folder. More than once is as good as once. */
  close(): Promise<void>;
}

/** @throws Error that says what is missing, or what the gateway said when it did not start. */
export type StartTestGateway = (options?: TestGatewayOptions) => Promise<TestGateway>;
