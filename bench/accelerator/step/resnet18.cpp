// A training step of ResNet-18 on a GPU (on the CPU, if there is none), with libtorch, for bench_accelerator --step:
//   t=$(python3 -c 'import torch, os; print(os.path.dirname(torch.__file__))')
//   g++ -std=c++20 -O2 -shared -fPIC -o resnet18.so resnet18.cpp -isystem $t/include
//     -isystem $t/include/torch/csrc/api/include -L$t/lib -Wl,-rpath,$t/lib -Wl,--no-as-needed -ltorch -ltorch_cpu
//     -ltorch_cuda -lc10
// He, Zhang, Ren, Sun: Deep Residual Learning for Image Recognition, CVPR 2016.
#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace {

struct convolution_of : torch::nn::Module {
  torch::nn::Conv2d filter{nullptr};
  torch::nn::BatchNorm2d norm{nullptr};
  convolution_of(int in, int out, int size, int stride) {
    using options = torch::nn::Conv2dOptions;
    filter = register_module("filter",
                             torch::nn::Conv2d(options(in, out, size).stride(stride).padding(size / 2).bias(false)));
    norm = register_module("norm", torch::nn::BatchNorm2d(out));
  }
  torch::Tensor forward(const torch::Tensor& x) { return norm->forward(filter->forward(x)); }
};
TORCH_MODULE_IMPL(convolution, convolution_of);

struct block_of : torch::nn::Module {
  convolution first{nullptr}, second{nullptr}, shortcut{nullptr};
  block_of(int in, int out, int stride) {
    first = register_module("first", convolution(in, out, 3, stride));
    second = register_module("second", convolution(out, out, 3, 1));
    if (in != out) shortcut = register_module("shortcut", convolution(in, out, 1, stride));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const auto made = second->forward(torch::relu(first->forward(x)));
    return torch::relu(made + (shortcut.is_empty() ? x : shortcut->forward(x)));
  }
};
TORCH_MODULE_IMPL(block, block_of);

struct resnet18 : torch::nn::Module {
  torch::nn::Sequential layers{nullptr};
  resnet18() {
    layers = torch::nn::Sequential(convolution(3, 64, 7, 2), torch::nn::ReLU(),
                                   torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(3).stride(2).padding(1)));
    int channels = 64;
    for (const int wider : {64, 128, 256, 512}) {
      layers->push_back(block(channels, wider, wider == channels ? 1 : 2));
      layers->push_back(block(wider, wider, 1));
      channels = wider;
    }
    layers->push_back(torch::nn::AdaptiveAvgPool2d(1));
    layers->push_back(torch::nn::Flatten());
    layers->push_back(torch::nn::Linear(512, classes));
    register_module("layers", layers);
  }
  static constexpr std::int64_t classes = 1000;
};

struct trainer {
  torch::Device device{torch::cuda::is_available() ? torch::kCUDA : torch::kCPU};
  torch::Dtype type = device.is_cuda() ? torch::kBFloat16 : torch::kFloat32;
  resnet18 model;
  std::unique_ptr<torch::optim::SGD> optimiser;
  torch::Tensor mean, deviation;

  trainer() {
    model.to(device, type);
    for (auto& p : model.parameters())
      if (p.dim() == 4) p.set_data(p.contiguous(torch::MemoryFormat::ChannelsLast));
    optimiser = std::make_unique<torch::optim::SGD>(model.parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));
    const auto of_channels = [&](float r, float g, float b) {
      return torch::tensor({r, g, b}).mul(255).view({1, 3, 1, 1}).to(device, type);
    };
    mean = of_channels(0.485F, 0.456F, 0.406F);
    deviation = of_channels(0.229F, 0.224F, 0.225F);
  }
  void step(const std::uint8_t* pixels, std::size_t images) {
    const auto n = static_cast<std::int64_t>(images);
    const auto here = torch::from_blob(const_cast<std::uint8_t*>(pixels), {n, 224, 224, 3}, torch::kUInt8);
    // N x H x W x C in memory is what torch calls N x C x H x W in the format channels_last
    const auto x = (here.to(device).permute({0, 3, 1, 2}).to(type) - mean) / deviation;
    const auto labels = torch::arange(n, torch::TensorOptions(device).dtype(torch::kInt64)) % resnet18::classes;
    optimiser->zero_grad();
    const auto loss = torch::nn::functional::cross_entropy(model.layers->forward(x).to(torch::kFloat32), labels);
    loss.backward();
    optimiser->step();
    (void)loss.item<float>();  // waits for the device
  }
};

}  // namespace

extern "C" void train(const std::uint8_t* pixels, std::size_t images) {
  static trainer all;
  all.step(pixels, images);
}
extern "C" const char* describe() {
  return torch::cuda::is_available() ? "ResNet-18, bfloat16, on a GPU" : "ResNet-18 on the CPU";
}
