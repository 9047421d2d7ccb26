/** Finds the token of the gateway at an address, where this platform has a place to look; null where there is none. */
export type FindToken = (baseUrl: string) => Promise<string | null>;
