'use strict';
// In place of swagger-ui-dist's `absolute-path` in the bundled programs: its files are copied beside them (bundle-page.mjs), since the
// package itself brings 12 MB, and @scarf/scarf, which reports every install to its makers.
const { join } = require('node:path');

module.exports = () => join(__dirname, '..', 'page', 'swagger-ui');
