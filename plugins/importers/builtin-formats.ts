import { defineImportFormat } from './importers-api.ts';

/** The built-in formats. Each reader is loaded on use. */
export const BUILTIN_FORMATS = [
  defineImportFormat('mem0', {
    summary: 'memories of mem0 as JSON',
    obtain: 'Save what get_all, GET /v1/memories or a memory export returns as a .json or .jsonl file.',
    load: async () => (await import('./mem0-format.ts')).readMem0,
  }),
  defineImportFormat('zep', {
    summary: 'facts, nodes, episodes, threads and messages of Zep or Graphiti as JSON',
    obtain:
      'Save what the API returns for the edges, nodes and episodes of a graph and for threads, each as a .json file.',
    load: async () => (await import('./zep-format.ts')).readZep,
  }),
  defineImportFormat('letta', {
    summary: 'an agent file of Letta (.af)',
    obtain: 'Export the agent in the ADE, or save what GET /v1/agents/{id}/export returns.',
    load: async () => (await import('./letta-format.ts')).readLetta,
  }),
  defineImportFormat('basic-memory', {
    summary: 'a folder of Markdown notes of Basic Memory',
    obtain: 'Name the folder of the project, by default ~/basic-memory.',
    load: async () => (await import('./basic-memory-format.ts')).readBasicMemory,
  }),
  defineImportFormat('chatgpt', {
    summary: 'the data export of ChatGPT',
    obtain: 'In ChatGPT: Settings, Data controls, Export data. The zip comes by mail.',
    load: async () => (await import('./chatgpt-format.ts')).readChatGpt,
  }),
  defineImportFormat('claude', {
    summary: 'the data export of Claude',
    obtain: 'In Claude: Settings, Privacy, Export data. The zip comes by mail.',
    load: async () => (await import('./claude-format.ts')).readClaude,
  }),
  defineImportFormat('mcp-memory', {
    summary: 'the file of the official memory server of MCP',
    obtain: 'Name the file that MEMORY_FILE_PATH of the server points to, memory.jsonl or memory.json.',
    load: async () => (await import('./mcp-memory-format.ts')).readMcpMemory,
  }),
  defineImportFormat('csv', {
    summary: 'any table as CSV, with --map',
    obtain: 'Export the table with a header line, and say with --map which column is what.',
    load: async () => (await import('./csv-format.ts')).readCsv,
  }),
] as const;
