const loopback = ['localhost', '127.0.0.1', '::1'];

/**
 * The environment of a turn (docs/decisions.md#environment-of-a-turn): what the launch recorded, then the tool's own
 * additions and its home, a terminal type with colours, and loopback in NO_PROXY.
 * @param home null leaves the tool to find its files as it does for the user.
 */
export function turnEnvironment(
  launch: Readonly<Record<string, string>>,
  tool: Readonly<Record<string, string>>,
  home: { variable: string; path: string } | null,
): Record<string, string> {
  const environment: Record<string, string> = { ...launch, ...tool };
  if (home) environment[home.variable] = home.path;
  if (environment.HOUMAO_ENABLE_TMUX_CONFIG_INJECTION !== '0') {
    environment.TERM = 'tmux-256color';
    environment.COLORTERM = 'truecolor';
    delete environment.NO_COLOR;
  }
  if (environment.HOUMAO_PRESERVE_NO_PROXY_ENV !== '1') {
    const named = [environment.NO_PROXY, environment.no_proxy].flatMap((list) => list?.split(',') ?? []);
    const merged = [...new Set([...named.map((host) => host.trim()).filter(Boolean), ...loopback])].join(',');
    environment.NO_PROXY = merged;
    environment.no_proxy = merged;
  }
  return environment;
}
