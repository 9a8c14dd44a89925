// `auspex device`: devices that latency and energy can be predicted for.
import { Command } from 'commander';
import { Devices, deviceFolder } from '../app/device/library.js';
import { measuredNetworks } from '../app/device/measured-table.js';
import { similarTo, similarToRows } from '../app/device/similar.js';
import { deviceListOf, deviceShowOf, deviceSimilarOf } from '../app/documents/device.js';
import { AuspexError } from '../util/errors.js';
import { print } from './command.js';
import { calibrateCommand } from './device-calibrate.js';
import { deviceListText, deviceShowText, similarText } from './text/device.js';

const EXAMPLES = `
Examples:
  auspex device list
  auspex device show i7-12700h
  auspex device similar pixel2
  auspex device similar --data measured.csv
  auspex device calibrate -o my.device.json
  auspex predict net.onnx --device i7-12700h

A table has a row for every network: its ONNX file or architecture (network) and
milliseconds (latency_ms). auspex train latency fits a device to it.
See docs/guides/latency.md and docs/json/device.md.`;

interface DeviceFlags {
  db?: string;
  data?: string;
  space?: string;
  json?: true;
}

export function deviceCommand(): Command {
  const command = new Command('device')
    .description('Devices that latency and energy of any network can be predicted for.')
    .addHelpText('after', EXAMPLES);
  const sub = (name: string, description: string): Command =>
    command
      .command(name)
      .description(description)
      .option('--db <file>', 'the database beside which your own devices are (AUSPEX_DB)')
      .option('--json', 'print JSON')
      .addHelpText('after', EXAMPLES);
  sub('list', 'Lists all devices, what was measured on them, and how wrong predictions are.').action(list);
  sub('show', 'Shows how a device was measured and what its predictions rest on.')
    .argument('<device>', 'a name, or a file that ends in .device.json')
    .action(show);
  sub('similar', 'Finds the known devices that behave most like another.')
    .argument('[device]', 'a name, or a file that ends in .device.json')
    .option('--data <file>', 'a table of networks and milliseconds instead')
    .option('--space <name>', 'search space of its architectures')
    .action(similar);
  command.addCommand(calibrateCommand());
  return command;
}

function list({ db, json }: DeviceFlags): void {
  const devices = new Devices(deviceFolder(db)).all();
  print(json ? JSON.stringify(deviceListOf(devices), null, 2) : deviceListText(devices));
}

function show(name: string, { db, json }: DeviceFlags): void {
  const found = new Devices(deviceFolder(db)).find(name);
  print(json ? JSON.stringify(deviceShowOf(found), null, 2) : deviceShowText(found));
}

async function similar(name: string | undefined, { db, data, space, json }: DeviceFlags): Promise<void> {
  if ((name === undefined) === (data === undefined)) {
    throw new AuspexError('BAD_OPTION', 'give a device, or a table with --data', {
      hint: 'auspex device similar pixel2; auspex device similar --data measured.csv',
    });
  }
  const library = new Devices(deviceFolder(db));
  const found =
    name === undefined
      ? await similarToRows(data!, measuredNetworks(data!, { space }), library)
      : await similarTo(name, library);
  print(json ? JSON.stringify(deviceSimilarOf(found), null, 2) : similarText(found));
}
