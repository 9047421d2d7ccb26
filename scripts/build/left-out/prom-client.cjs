'use strict';
// In place of prom-client's entry in the bundled programs, which also brings the summaries with their trees, the push gateway and
// the cluster: half of the package, twice in ours.
exports.Registry = require('prom-client/lib/registry.js');
exports.Counter = require('prom-client/lib/counter.js');
exports.Gauge = require('prom-client/lib/gauge.js');
exports.Histogram = require('prom-client/lib/histogram.js');
exports.collectDefaultMetrics = require('prom-client/lib/defaultMetrics.js');
