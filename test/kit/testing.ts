/**
 * Test tools for authors of plugins and adapters, under mocha: a test node with the real composition, and the contract
 * suites of the ports and of the search index. Re-exports only.
 */
export { type AuthorizerSubject, describeAuthorizer } from '../contract/authorizer-contract.ts';
export { type ClockSubject, describeClock } from '../contract/clock-contract.ts';
export { describeEmbedder, type EmbedderSubject } from '../contract/embedder-contract.ts';
export { describeFactStore } from '../contract/fact-store-contract.ts';
export { describeKeySource, type KeySourceSubject } from '../contract/key-source-contract.ts';
export { describePlugin, type PluginSubject } from '../contract/plugin-contract.ts';
export {
  describeSearchIndex,
  type SearchNodeOptions,
  type StartSearchNode,
} from '../contract/search-index-contract.ts';
export { describeTransport } from '../contract/transport-contract.ts';
export { createLoopbackNetwork, type LoopbackNetwork } from '../fakes/loopback-network.ts';
export { createManualClock, type ManualClock } from '../fakes/manual-clock.ts';
export { createScriptedEmbedder } from '../fakes/scripted-embedder.ts';
export { createPrincipal } from './create-principal.ts';
export { startTestNode, type TestNode, type TestNodeOptions } from './start-test-node.ts';
