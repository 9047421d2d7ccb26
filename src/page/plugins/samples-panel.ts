import { type ContractDocument, operationsOf, type SdkClient } from '../contract/contract-document.js';
import { type Call, callOf } from '../samples/call.js';
import { curlSample } from '../samples/curl.js';
import { pythonSample } from '../samples/python.js';
import { typescriptSample } from '../samples/typescript.js';
import { browser, type Component, type MakePlugin, type React } from './swagger.js';

/** Draws each operation's call in several languages before its answers. @param sdk null where the SDK has no client of it. */
export const samplesPanel =
  (document: ContractDocument, sdk: SdkClient | null): MakePlugin =>
  ({ React }) => {
    const calls = new Map(
      operationsOf(document).map((placed) => [`${placed.method} ${placed.path}`, callOf(document, placed)]),
    );
    const Samples = samplesOf(React, browser.location.origin, sdk);
    return {
      wrapComponents: {
        responses: (Original) => (properties) => {
          const call = calls.get(`${properties.method} ${properties.path}`);
          return React.createElement(
            React.Fragment,
            null,
            call && React.createElement(Samples, { call }),
            React.createElement(Original, properties),
          );
        },
      },
    };
  };

function samplesOf(React: React, baseUrl: string, sdk: SdkClient | null): Component {
  const languages: Readonly<Record<string, (call: Call) => string>> = {
    curl: (call) => curlSample(call, baseUrl),
    ...(sdk && { TypeScript: (call: Call) => typescriptSample(call, baseUrl, sdk) }),
    Python: (call) => pythonSample(call, baseUrl),
  };
  const { createElement } = React;
  return ({ call }) => {
    const [chosen, choose] = React.useState('curl');
    const text = languages[chosen]?.(call as Call) ?? '';
    const { clipboard } = browser.navigator;
    return createElement(
      'div',
      { className: 'samples' },
      createElement(
        'div',
        { className: 'samples-head', role: 'tablist' },
        createElement('h4', null, 'Sample'),
        ...Object.keys(languages).map((name) =>
          createElement(
            'button',
            { role: 'tab', 'aria-selected': name === chosen, onClick: () => choose(name) },
            name,
          ),
        ),
        clipboard && createElement('button', { onClick: () => void clipboard.writeText(text) }, 'Copy'),
      ),
      createElement('pre', { className: 'sample' }, text),
    );
  };
}
