import { appendFile, mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AgentTool } from './agent-paths.js';

/** The only credential of this tier. The fake server's log shows that no other one is ever sent. */
export const FAKE_KEY = 'sk-test-loopback';
export const FAKE_MODEL = {
  claude: 'claude-fake-model',
  codex: 'fake-model',
  gemini: 'gemini-2.5-flash',
} as const;

export interface ToolHome {
  /** The folder that the tool's home variable names. */
  readonly home: string;
  /** `CLAUDE_CONFIG_DIR`, `CODEX_HOME` or `GEMINI_CLI_HOME`. */
  readonly variable: string;
  /** The variables that the tool needs besides the home variable, for `agents launch --env`. */
  readonly env: Readonly<Record<string, string>>;
}

interface HomeRequest {
  /** A folder of the test's own; the home becomes `<root>/<tool>-home`. */
  readonly root: string;
  /** The fake server, without a slash at the end. */
  readonly modelUrl: string;
  /** The folder the agent will work in, which the home declares trusted. */
  readonly workingDirectory: string;
}

/** Makes a home with which the tool starts straight into its prompt: no dialog, no update check, no telemetry. */
export async function makeHome(tool: AgentTool, request: HomeRequest): Promise<ToolHome> {
  const home = path.join(request.root, `${tool}-home`);
  await mkdir(home, { recursive: true });
  const workingDirectory = await realpath(request.workingDirectory);
  return MAKERS[tool](home, request.modelUrl, workingDirectory);
}

/** Where each tool keeps its files for a user who sets no variable, below the user's home folder. */
const USUAL = { claude: '.claude', codex: '.codex', gemini: '' } as const;

/**
 * The same as somebody has it who set no variable, with a server for tools of the user's own: it appends a line to `started`
 * each time that the tool starts it.
 * @param request its root is the user's home folder.
 */
export async function makeUsersHome(
  tool: AgentTool,
  request: HomeRequest,
  started: string,
): Promise<ToolHome> {
  const home = path.join(request.root, USUAL[tool]);
  await mkdir(home, { recursive: true });
  const made = await MAKERS[tool](home, request.modelUrl, await realpath(request.workingDirectory));
  const server = { command: '/bin/sh', args: ['-c', `echo started >> '${started}'`] };
  await addMcpServer(tool, made, 'own', server);
  if (tool === 'claude')
    await rename(path.join(home, '.claude.json'), path.join(request.root, '.claude.json'));
  return made;
}

/** A program that speaks MCP over its standard input and output, or the address of a server that speaks it over HTTP. */
export type McpServer =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string };

/** Has the tool offer that server's tools to its model, as a user does it: in the settings of its home. */
export async function addMcpServer(
  tool: AgentTool,
  { home }: ToolHome,
  name: string,
  server: McpServer,
): Promise<void> {
  if (tool === 'codex') {
    // A list of texts and a text read the same in TOML and in JSON.
    const lines = Object.entries(server).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
    return appendFile(path.join(home, 'config.toml'), `\n[mcp_servers.${name}]\n${lines.join('')}`);
  }
  const file = path.join(home, tool === 'claude' ? '.claude.json' : '.gemini/settings.json');
  const settings = JSON.parse(await readFile(file, 'utf8'));
  const entry = 'url' in server ? { ...server, type: 'http' } : server;
  await writeJson(file, { ...settings, mcpServers: { [name]: entry } });
}

const MAKERS = { claude: makeClaudeHome, codex: makeCodexHome, gemini: makeGeminiHome };

/** With CLAUDE_CONFIG_DIR set, `.claude.json` is read from inside it (without, from beside `~/.claude`). */
async function makeClaudeHome(home: string, modelUrl: string, workingDirectory: string): Promise<ToolHome> {
  await writeJson(path.join(home, '.claude.json'), {
    hasCompletedOnboarding: true,
    theme: 'dark',
    hasSeenAutoDefaultNotice: true,
    hasSeenAutoDefaultNudge: true,
    // Claude Code looks a key up by its last 20 characters.
    customApiKeyResponses: { approved: [FAKE_KEY.slice(-20)], rejected: [] },
    projects: { [workingDirectory]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  });
  await writeJson(path.join(home, 'settings.json'), { permissions: { defaultMode: 'default' } });
  const env = {
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: FAKE_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    // The default is ten tries, for 401 as well: minutes.
    CLAUDE_CODE_MAX_RETRIES: '1',
  };
  return { home, variable: 'CLAUDE_CONFIG_DIR', env };
}

/** `CODEX_HOME` is the folder with `config.toml` itself. */
async function makeCodexHome(home: string, modelUrl: string, workingDirectory: string): Promise<ToolHome> {
  const config = `
model = "${FAKE_MODEL.codex}"
model_provider = "fake"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 1
stream_max_retries = 1
supports_websockets = false

[features]
# Else the TUI copies itself into the home (404 MB) and leaves a daemon behind that outlives the pane.
daemon_auto_start = false

[analytics]
enabled = false

[projects.${JSON.stringify(workingDirectory)}]
trust_level = "trusted"

[tui]
screen_reader_detection_done = true
`;
  await writeFile(path.join(home, 'config.toml'), config.trimStart());
  return { home, variable: 'CODEX_HOME', env: { FAKE_KEY } };
}

/** `GEMINI_CLI_HOME` stands for the user's home: the settings are in its `.gemini/`. */
async function makeGeminiHome(home: string, modelUrl: string): Promise<ToolHome> {
  await mkdir(path.join(home, '.gemini'), { recursive: true });
  await writeJson(path.join(home, '.gemini', 'settings.json'), {
    security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
    // Two tries: with the default a 500 or a 429 is still being retried after a minute.
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 2 },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ui: { theme: 'Default', hideTips: true },
    ide: { enabled: false, hasSeenNudge: true },
    // A named model: "auto" asks the server first which model to ask.
    model: { name: FAKE_MODEL.gemini },
  });
  const env = {
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_API_KEY: FAKE_KEY,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  };
  return { home, variable: 'GEMINI_CLI_HOME', env };
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}
