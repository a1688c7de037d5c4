// Refuses an old Node.js before anything else is loaded. It imports nothing and is limited to the syntax of ES2015, so
// that every old release can read this file. `npm start` and the build read it too. The version is the one of "engines"
// in package.json.
var REQUIRED = [20, 12];

var found = process.versions.node.split('.').map(Number);
if (found[0] < REQUIRED[0] || (found[0] === REQUIRED[0] && found[1] < REQUIRED[1])) {
  process.stderr.write(
    'error: fact-memory-node needs Node.js ' + REQUIRED.join('.') + ' or later, and this is ' + process.versions.node + '\n' +
      'hint: install a newer one from https://nodejs.org, or with a version manager: nvm install ' + REQUIRED[0] + '\n'
  );
  process.exit(1);
}
