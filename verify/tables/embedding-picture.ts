// The picture of a map that `auspex embed --map` drew, without the names of networks.
//
//   node build/verify/tables/embedding-picture.js MAP.html PICTURE.svg
import { readFileSync, writeFileSync } from 'node:fs';

const [map, picture] = process.argv.slice(2);
if (!map || !picture) throw new Error('usage: embedding-picture.js MAP.html PICTURE.svg');
const [svg] = /<svg[\s\S]*<\/svg>/.exec(readFileSync(map, 'utf8')) ?? [];
if (svg === undefined) throw new Error(`${map} has no picture`);
const bare = svg.replace(/(<circle [^>]*)><title>[^<]*<\/title><\/circle>/g, '$1/>');
writeFileSync(picture, `${bare}\n`);
