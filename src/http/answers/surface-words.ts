/** How a surface's walls speak of the program that serves it. */
export interface SurfaceWords {
  /** Over the docs page: `Houmao agent gateway`. */
  readonly title: string;
  /** The program, as in its log lines and in the realm of its token: `houmao-gateway`. */
  readonly program: string;
  /** In a sentence, after "the" or "this": `gateway`. */
  readonly noun: string;
  /** In a sentence, after "in": the file of the token that callers from elsewhere need. */
  readonly tokenFile: string;
  /** The flags by which the program admits more callers. */
  readonly flags: { readonly host: string; readonly origin: string; readonly user: string };
}
