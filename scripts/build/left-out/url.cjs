'use strict';
// In place of the module url in the bundled programs, for the packages that require it. express-openapi-validator and parseurl take
// request targets apart with url.parse, which Node 24 warns of (DEP0169) unless who calls is below node_modules; a bundle is not, so
// the warning stood in the log of every gateway. No issue of either package is known. Remove when the test `url` says that neither
// calls it any more.
const url = require('node:url');

/** @param target of a request: a path with its query, or a URL with both. Nothing of it is decoded or escaped. */
function parse(target) {
  const [, pathname, search] = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/i.exec(target);
  const parts = { pathname, search: search ?? null, query: search?.slice(1) ?? null };
  return Object.assign(new url.Url(), parts, { path: pathname + (search ?? ''), href: target });
}

module.exports = { ...url, parse };
