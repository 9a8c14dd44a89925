// Networks to try: architectures of search spaces, which the page builds itself. No file is loaded for them.

export const SAMPLES = [
  {
    title: 'MobileNetV3 (Once-for-All)',
    about: 'ImageNet, 160 × 160, depthwise convolutions with squeeze and excitation',
    network: 'ofa-mobilenetv3:r160-k3e4k5e6-k7e3k3e3k5e6-k3e3k3e4k3e6k7e3-k5e6k5e4-k7e6k3e3k5e4',
  },
  {
    title: 'ResNet (Once-for-All)',
    about: 'ImageNet, 176 × 176, bottleneck blocks',
    network: 'ofa-resnet:r176-w65+80-w100e25e20-w80e35e20e25-w65e20e25e35e25e20-w100e35e35e25e20',
  },
  {
    title: 'Vision transformer (AutoFormer)',
    about: 'ImageNet, 12 blocks of attention',
    network: 'autoformer-tiny:192:12:r3.5,4,3.5,4,3.5,3.5,4,3.5,4,4,3.5,3.5:h3,3,4,3,3,4,4,3,3,3,4,3',
  },
  {
    title: 'GPT-2 (HW-GPT-Bench)',
    about: 'a language model of 10 blocks',
    network: 'hwgpt-s:384:10:h4,8,12,8,4,4,12,8,8,4:m2,3,4,4,2,3,2,4,3,2:b1',
  },
  {
    title: 'NAS-Bench-201 cell',
    about: 'CIFAR-10, 15 equal cells',
    network:
      'nasbench201:|nor_conv_3x3~0|+|nor_conv_3x3~0|avg_pool_3x3~1|+|skip_connect~0|nor_conv_3x3~1|skip_connect~2|',
  },
  {
    title: 'ProxylessNAS',
    about: 'ImageNet, inverted bottlenecks',
    network: 'proxylessnas:k3e3k3e3-k5e6k5e3-k7e3k3e3k7e4-k7e4k5e4k3e3k7e4-k3e6k5e6k5e4k3e6-k3e4',
  },
] as const;
