// `auspex view`: the page of the package in a browser, with files of this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Command, InvalidArgumentError } from 'commander';
import { viewDocumentOf } from '../app/documents/view.js';
import { exportPage } from '../app/view/export-page.js';
import { GivenFiles } from '../app/view/given-files.js';
import { servePage } from '../app/view/server.js';
import { print } from './command.js';
import { untilStopped } from './signals.js';

const EXAMPLES = `
Examples:
  auspex view resnet50.onnx
  auspex view a.onnx b.onnx
  auspex view run/               a search that still writes run/trials.jsonl
  auspex view net.onnx --no-open --port 8080
  auspex view --export site/     the page as static files, for any web server

The page shows graph, cost, predictions and differences of networks. It is
served to this machine only (127.0.0.1), at an address that nobody can guess;
files stay here. End it with Ctrl-C. See docs/guides/page.md.`;

interface ViewFlags {
  port?: number;
  open: boolean;
  export?: string;
  json?: true;
}

export function viewCommand(): Command {
  return new Command('view')
    .description('Serves the page on loopback and opens a browser.')
    .argument('[files...]', 'ONNX files, folders, trials.jsonl, scores.jsonl, JSON of evaluate or measure')
    .option('--port <number>', 'port to listen on (default: one that is free)', portOf)
    .option('--no-open', 'do not open a browser')
    .option('--export <folder>', 'write the page into a folder as static files, and end')
    .option('--json', 'print the address as JSON')
    .addHelpText('after', EXAMPLES)
    .action(view);
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new InvalidArgumentError('a port is a whole number below 65536');
}

async function view(paths: string[], flags: ViewFlags): Promise<void> {
  if (flags.export !== undefined) {
    exportPage(flags.export);
    print(`Written to ${flags.export}; serve that folder with any web server.`);
    return;
  }
  const files = new GivenFiles();
  for (const path of paths) files.add(path);
  const server = await servePage(files, flags.port);
  print(flags.json ? JSON.stringify(viewDocumentOf(server.address, files.all)) : server.address);
  if (flags.open) openBrowser(server.address);
  await untilStopped(async (signal) => {
    await once(signal, 'abort');
    await server.close();
  });
}

/** Where there is a screen; the address is printed anyway. */
function openBrowser(address: string): void {
  const isHeadless = process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY;
  if (isHeadless) return;
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', address]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '""', address]
        : ['xdg-open', address];
  const started = spawn(command!, args, { stdio: 'ignore', detached: true });
  started.on('error', () => undefined);
  started.unref();
}
