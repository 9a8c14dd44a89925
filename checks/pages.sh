#!/bin/bash
# Writes docs/results/ of the zero-cost scores and of ETAS from scores that the checks have found; scores nothing.
#   npm run build:tools && bash checks/pages.sh DATA RUNS
# RUNS has language.jsonl, nb201.jsonl and vision.jsonl as the checks made them, and gets the folder etas.
set -euo pipefail
data=$1 runs=$2 out=docs/results
page() { # file, title, commands, what is to be known
  local file=$out/$1.md
  { printf '# %s\n\n%s\n\nMade by\n\n```sh\n%s\n```\n\n' "$2" "$4" "$3"; cat; } >"$file.new" && mv "$file.new" "$file"
}
node build/checks/proxies-nasbench201.js "$data" "$runs/nb201.jsonl" --seconds 0 |
  page proxies-nasbench201 'Zero-cost scores of NAS-Bench-201 beside published ones' \
    'npm run build:tools && node build/checks/proxies-nasbench201.js DATA nb201.jsonl' \
    'Ours of 64 images of Gaussian noise with drawn labels, those of NAS-Bench-Suite-Zero of 64 images of CIFAR-10, at
weights of draws of their own; one seed.'
{
  node build/checks/proxies-language.js "$data" "$runs/language.jsonl" --seconds 0 --set lts-gpt2
  echo
  node build/checks/proxies-language.js "$data" "$runs/language.jsonl" --seconds 0 --set lts-gpt2 --tokens 32 --vocabulary 1000 --seeds 5
  echo
  node build/checks/proxies-language.js "$data" "$runs/language.jsonl" --seconds 0 --set hwgpt-s
  for set in transformer-xl transformer-xl-homogeneous; do
    echo
    node build/checks/proxies-language.js "$data" "$runs/language.jsonl" --seconds 0 --set $set
  done
} |
  page proxies-language 'Zero-cost scores of language models against their perplexity' \
    'npm run build:tools && node build/checks/proxies-language.js DATA language.jsonl --set lts-gpt2' \
    'GPT-2 and Transformer-XL of Lite Transformer Search were trained on WikiText-103; the networks of HW-GPT-Bench S have
weights of a supernet. The paper is ETAS, Table 3. Scores of n tokens (n192) and, where that is said, of a vocabulary of
another size (v1000); means and standard deviations are over seeds of weights and samples.'
node build/checks/proxies-vision.js "$data" "$runs/vision.jsonl" --seconds 0 |
  page proxies-vision 'Zero-cost scores of vision transformers against their accuracy' \
    'npm run build:tools && node build/checks/proxies-vision.js DATA vision.jsonl --seeds 5' \
    'AutoFormer-Tiny and PiT. The paper is ETAS, Table 1.'
node build/checks/etas.js "$data" "$runs/etas" --scores "$runs/language.jsonl" |
  page etas 'ETAS on tables' \
    'npm run build:tools && node build/checks/etas.js DATA etas --scores language.jsonl' \
    'The best value found after so many evaluations, mean ± standard deviation over seeds.'
for plot in "$runs"/etas/*.svg; do
  cp "$plot" $out/
  printf '\n![%s](%s)\n' "$(basename "$plot" .svg)" "$(basename "$plot")" >>$out/etas.md
done
