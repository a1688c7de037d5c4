/** The README of a new plugin. */
export const README = `# NAME

A plugin for fact-memory-node. It keeps the newest facts in sight: \`GET /v1/NAME/recent\` lists the ids of the facts
that were stored last. \`most\` says how many.

- \`npm install --no-save ../fact-memory-node-*.tgz\` installs the node and the tools of the tests. The install guide of the node
  says where its tarball comes from.
- \`npm test\` runs the suite that the node's own plugins pass, and a test over HTTP.
- \`npm start\` runs a node with the plugin, as \`node.json\` names it.

A plugin runs inside the node, with all its rights. \`node_modules/fact-memory-node/docs/guides/write-a-plugin.md\` says
what it may use. To publish it, run \`npm publish\`; its users write \`{ "plugins": { "NAME": { "from": "NAME" } } }\`.
`;
